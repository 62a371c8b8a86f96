"""What the API of retention takes."""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.core.http.input.fields import InputSerializer, TextField, WholeNumberField
from apps.retention.operations.legal_holds import LONGEST_REASON, LONGEST_VALUE
from apps.retention.terms import Terms
from apps.retention.words import HoldKind

ID_LENGTH = 31


def days(help_text: str) -> WholeNumberField:
    """Return a field that the operation bounds, with the reason."""
    return WholeNumberField(min_value=None, help_text=help_text)


@extend_schema_serializer(component_name="MakeRetentionPolicy")
class PolicyInput(InputSerializer):
    """After how many days what goes; what is not said never goes."""

    agent_id = TextField(
        max_length=255,
        help_text="Your name for an agent, or our id: the policy counts for its "
        "sessions in place of the project's.",
    )
    thin_days = days("Change rows and words of older versions go; 1 or more.")
    archive_days = days("Bodies of older versions move to the store; 1 or more.")
    empty_days = days("Contents of older versions go, headers stay; 1 or more.")
    prune_days = days("Headers of older versions go; a tombstone stays; 7 or more.")
    remove_days = days("Sessions that nobody wrote to for so long go; 7 or more.")
    ended_days = days("Deleted and expired sessions go after so long; 7 or more.")
    keep_last = WholeNumberField(
        help_text="So many of the newest versions of a session stay; 1 is usual."
    )

    def terms(self) -> Terms:
        """Return what it says, as yet unchecked."""
        said = dict(self.validated_data)
        said.pop("agent_id", None)
        return Terms(**{name: n for name, n in said.items() if n is not None})


@extend_schema_serializer(component_name="EnableRetentionPolicy")
class EnableInput(InputSerializer):
    """What was seen before."""

    preview_id = TextField(
        required=True,
        allow_null=False,
        max_length=ID_LENGTH,
        help_text="Of a preview of this policy, not older than a day.",
    )


@extend_schema_serializer(component_name="AskRetentionPreview")
class PreviewInput(InputSerializer):
    """Of which policy."""

    policy_id = TextField(required=True, allow_null=False, max_length=ID_LENGTH)


@extend_schema_serializer(component_name="SetLegalHold")
class HoldInput(InputSerializer):
    """What must stay, and why."""

    kind = serializers.ChoiceField(choices=HoldKind.choices)
    value = TextField(
        max_length=LONGEST_VALUE,
        help_text="The id of the session, your name of the person or of the agent; "
        "nothing for the project.",
    )
    reason = TextField(required=True, allow_null=False, max_length=LONGEST_REASON)
    until = serializers.DateTimeField(
        required=False, allow_null=True, help_text="It ends then by itself."
    )

    def said(self) -> dict[str, Any]:
        """Return the arguments of the operation."""
        found = self.validated_data
        return {
            "kind": HoldKind(found["kind"]),
            "value": found.get("value"),
            "reason": found["reason"],
            "until": found.get("until"),
        }


@extend_schema_serializer(component_name="EndLegalHold")
class EndInput(InputSerializer):
    """Why it is over."""

    reason = TextField(required=True, allow_null=False, max_length=LONGEST_REASON)
