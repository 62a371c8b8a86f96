"""What the API of approvals takes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from apps.approvals.errors import UnacceptableApproval
from apps.approvals.operations import Asked, NewRule
from apps.approvals.words import Class, Expiry, Who
from apps.core.http.input.fields import (
    InputSerializer,
    ListField,
    ObjectField,
    TextField,
    WholeNumberField,
)
from apps.core.time.moments import moment

CLASS = "What becomes of it once it is done; not said counts as irreversible."


@extend_schema_field({"type": "array", "items": {"type": "string"}})
class PlacesField(ListField):
    """JSON pointers into the state."""

    def to_internal_value(self, data: Any) -> list[str]:
        found = super().to_internal_value(data)
        if not all(isinstance(one, str) for one in found):
            raise serializers.ValidationError("This must be a list of JSON pointers.")
        return found


def chosen(choices: type[Any], help_text: str = "") -> serializers.ChoiceField:
    return serializers.ChoiceField(
        choices=choices.choices, required=False, allow_null=True, help_text=help_text
    )


class TermsInput(InputSerializer):
    """Who decides, and until when."""

    votes = WholeNumberField(min_value=1, max_value=2, help_text="People; 1 or 2.")
    who = chosen(Who, "Operators (and administrators), or administrators alone.")
    on_expiry = chosen(Expiry, "What becomes of it if nobody decides in time.")

    def get_fields(self) -> dict[str, Any]:
        """Add the field that Python has no name for."""
        return {**super().get_fields(), "class": chosen(Class, CLASS)}

    def given(self, *names: str) -> dict[str, Any]:
        """Return what was sent of these, without nulls."""
        sent = self.validated_data
        return {name: sent[name] for name in names if sent.get(name) is not None}

    def terms(self) -> dict[str, Any]:
        found: dict[str, Any] = self.given("votes")
        for name, words in (("who", Who), ("on_expiry", Expiry)):
            found |= {one: words(said) for one, said in self.given(name).items()}
        if self.validated_data.get("class") is not None:
            found["effect_class"] = Class(self.validated_data["class"])
        return found


@extend_schema_serializer(component_name="RequestApproval")
class AskInput(TermsInput):
    """What is to be allowed. A rule of the agent may ask for more than is said here."""

    tool = TextField(required=True, allow_null=False, help_text="What is to be called.")
    arguments = ObjectField(
        required=True, allow_null=False, help_text="With which arguments."
    )
    schema = ObjectField(
        help_text="A JSON Schema that edited arguments have to pass; it refers to "
        "nothing outside itself."
    )
    reason = TextField(help_text="Why, for those who decide.")
    depends_on = PlacesField(
        help_text="Pointers into the state that this rests on: once a value there has "
        "changed, it can only be rejected."
    )
    key = TextField(
        help_text="Your name of this request, once in a session: asked again under "
        "it, it is the same one."
    )
    ttl_seconds = WholeNumberField(
        help_text="How long it waits: 60 to 7,776,000 (90 days); a day if not said."
    )
    deadline = TextField(help_text="In place of `ttl_seconds`: until when it waits.")

    def asked(self) -> Asked:
        """Raises: UnacceptableApproval."""
        said = self.validated_data
        return Asked(
            tool=said["tool"],
            arguments=said["arguments"],
            deadline=_deadline(said.get("deadline")),
            **self.given("schema", "reason", "depends_on", "key", "ttl_seconds"),
            **self.terms(),
        )


@extend_schema_serializer(component_name="CreateApprovalRule")
class RuleInput(TermsInput):
    """When an agent's requests are held to these terms."""

    tool = TextField(help_text="Of this tool; null: of any.")
    check = TextField(
        help_text="A check on the arguments, which it calls `state`: "
        "`state.amount>500`. Null: any arguments."
    )
    expires_in = WholeNumberField(
        help_text="Seconds that it waits at most: 60 to 7,776,000; a day if not said."
    )

    def said(self) -> NewRule:
        """Return the rule."""
        return NewRule(**self.given("tool", "check", "expires_in"), **self.terms())


def _deadline(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return moment(text)
    except (ValueError, OverflowError):
        raise UnacceptableApproval(
            "deadline takes a time in ISO 8601, as in 2026-01-31T12:00:00Z.",
            param="deadline",
        ) from None
