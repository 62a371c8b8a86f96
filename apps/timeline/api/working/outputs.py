"""Tasks and facts, as answered."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.timeline.api.outputs.common import Output, Spent, maybe_text, text
from apps.timeline.api.outputs.previews import Move
from apps.timeline.api.outputs.versions import Checkpoint
from apps.timeline.operations import Found
from apps.timeline.words import EffectClass


class Progress(Output):
    """How many of a session's tasks are completed or skipped."""

    done = serializers.IntegerField()
    total = serializers.IntegerField()


@extend_schema_serializer(component_name="ChangedTask")
class ChangedTask(Output):
    """A task as a version has it, and the one to go on with."""

    object = text()
    session_id = text()
    version = serializers.IntegerField()
    task = serializers.JSONField(help_text="As the list has it.")
    next_task = serializers.JSONField(
        help_text="The first that is neither completed nor skipped; null: none."
    )
    progress = Progress(help_text="Skipped ones count as done.")


class OfFact(Output):
    """Add the field whose name the framework has taken."""

    def get_fields(self) -> dict[str, Any]:
        return {**super().get_fields(), "source": maybe_text("Where it is from.")}


class KnownFact(OfFact):
    """What a session remembers of the world."""

    key = text()
    value = serializers.JSONField()
    observed_at = serializers.DateTimeField(allow_null=True)
    checked_at = serializers.DateTimeField(
        allow_null=True, help_text="When a check last confirmed it."
    )
    max_age = serializers.FloatField(allow_null=True, help_text="In seconds.")
    tolerance = serializers.FloatField(
        allow_null=True, help_text="How far a number may move."
    )


@extend_schema_serializer(component_name="CheckedFact")
class CheckedFactOutput(OfFact):
    """A fact, as it is remembered and as it is."""

    key = text()
    status = serializers.ChoiceField(choices=[one.value for one in Found])
    was = serializers.JSONField(help_text="As it was remembered.")
    now = serializers.JSONField(
        required=False, help_text="The live value; left out where none was given."
    )
    observed_at = serializers.DateTimeField(allow_null=True)
    checked_at = serializers.DateTimeField(allow_null=True)
    max_age = serializers.FloatField(allow_null=True)
    tolerance = serializers.FloatField(allow_null=True)


@extend_schema_serializer(component_name="CheckedFacts")
class CheckedFacts(Output):
    """All facts that were checked, of which each is as it is remembered."""

    object = text()
    session_id = text()
    version = serializers.IntegerField(help_text="The head.")
    facts = CheckedFactOutput(many=True)


class OpenApproval(Output):
    """What people are asked, in short."""

    id = text()
    key = maybe_text()
    tool = text()
    version = serializers.IntegerField(help_text="The version `wait`.")
    replaces = maybe_text("The one in place of which it was asked again.")
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()


class UnknownEffect(Output):
    """Something that may have happened outside, in short."""

    id = text()
    key = text()
    tool = text()
    number = serializers.IntegerField(help_text="The version it was decided on.")
    attempt = serializers.IntegerField()

    def get_fields(self) -> dict[str, Any]:
        """Add the field that Python has no name for."""
        named = serializers.ChoiceField(choices=EffectClass.choices)
        return {**super().get_fields(), "class": named}


@extend_schema_serializer(component_name="Checkpoint")
class ResumedCheckpoint(Checkpoint):
    """Everything that a run resumes from; parts never written are null."""

    next_task = serializers.JSONField(
        help_text="The first that is neither completed nor skipped; null: none."
    )
    open_approvals = OpenApproval(many=True)
    unknown_effects = UnknownEffect(many=True)
    facts_to_check = KnownFact(many=True, help_text="Those that are past their age.")
    moves = Move(
        many=True,
        help_text="Onto which other release, model or schema a fork, a rollback or a "
        "resume of this goes.",
    )
    migrated_from = maybe_text("Under another `schema`: what the state is of.")
    spent = Spent(allow_null=True, help_text="What the session's turns used by now.")
