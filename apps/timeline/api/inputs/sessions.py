"""What callers may send about sessions: to begin, fork and change them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.core.http.input.fields import (
    InputSerializer,
    ObjectField,
    TextField,
    WholeNumberField,
)
from apps.timeline.api.inputs.states import StateField, StepInput
from apps.timeline.bodies import bundles
from apps.timeline.ledger.facts.about import LONGEST_TTL, MAX_TITLE
from apps.timeline.operations import Edit, Origin


class AboutInput(StepInput):
    """What is known of a session from its beginning."""

    user_id = TextField(help_text="The end user that the session is about.")
    external_id = TextField(
        help_text="Your name of the session, unique in the project."
    )
    title = TextField(help_text=f"What it is about, in at most {MAX_TITLE} characters.")
    metadata = ObjectField()
    ttl_seconds = WholeNumberField(
        min_value=1,
        max_value=LONGEST_TTL,
        help_text="Seconds until it expires; never if unset.",
    )


@extend_schema_serializer(component_name="CreateSession")
class CreateInput(AboutInput):
    """A new session."""

    agent_id = TextField(
        required=True,
        allow_null=False,
        allow_blank=False,
        help_text="Your name of the agent; registered on first use.",
    )
    initial_state = StateField()


@extend_schema_serializer(component_name="ForkSession")
class ForkInput(AboutInput):
    """A session from any version of this one."""

    synonyms = {**AboutInput.synonyms, "new_agent_id": "agent_id"}

    version = WholeNumberField(
        min_value=-(2**31), help_text="The version to fork from; the head if unset."
    )
    agent_id = TextField(allow_blank=False, help_text="Another agent for the fork.")
    new_agent_id = TextField(allow_blank=False, help_text="Another name for agent_id.")
    at_turn_id = TextField(
        allow_blank=False,
        help_text="In place of `version`: the one that was the head once this turn was "
        "recorded.",
    )
    source_session_id = TextField(help_text="The session of the address, if given.")
    state = StateField(help_text="Top-level keys to set in the fork's version 0.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if None not in (attrs.get("version"), attrs.get("at_turn_id")):
            message = "Give version or at_turn_id, not both."
            raise serializers.ValidationError({"at_turn_id": message})
        return attrs

    def origin(self, session_id: str) -> Origin:
        """Return which version of this session is forked."""
        given = self.validated_data
        return Origin(
            session_id=session_id,
            number=given.get("version"),
            turn_id=given.get("at_turn_id"),
        )

    def edit(self) -> Edit:
        """Return what the fork's version 0 has other than that version."""
        given = self.validated_data
        return Edit(patch=given.get("state"), parts=bundles.named_parts(given))


@extend_schema_serializer(component_name="UpdateSession")
class MetadataInput(InputSerializer):
    """What may change about a session."""

    title = TextField(
        help_text=f"What it is about, in at most {MAX_TITLE} characters; null removes "
        "it."
    )
    metadata = ObjectField(help_text="Keys to merge; null removes one.")
    ttl_seconds = WholeNumberField(
        min_value=0,
        max_value=LONGEST_TTL,
        help_text="Seconds from now until it expires; 0: never.",
    )
