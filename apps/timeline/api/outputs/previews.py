"""What a rollback would do, and what is said beside a session, as answered."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from apps.timeline.api.outputs.common import (
    ListEnvelope,
    Output,
    ShownChange,
    maybe_number,
    maybe_text,
    text,
)
from apps.timeline.api.outputs.effects import CrossedEffect
from apps.timeline.words import EffectClass, Hold, Outcome


class ReportedCall(Output):
    """A tool call that the agent reported: it has happened."""

    effect_id = maybe_text("The effect that it was begun as, if it was.")

    name = text("Empty where only its result was reported.")
    id = maybe_text()
    arguments = serializers.JSONField(allow_null=True)
    session_id = text("Where it was reported: a fork's origin tells of its turns, too.")
    version = maybe_number("The head when a turn reported it.")
    turn_number = maybe_number()
    at = serializers.DateTimeField(allow_null=True)
    may_already_be_part = serializers.BooleanField(
        help_text="A turn reported it while the head showed the state to restore, "
        "which may know of it already: nothing tells whether the agent called or "
        "stored first."
    )
    was_set_aside = serializers.BooleanField(
        help_text="An earlier rollback set its version aside; it happened all the same."
    )

    def get_fields(self) -> dict[str, Any]:
        said = serializers.ChoiceField(
            choices=EffectClass.choices,
            allow_null=True,
            help_text="Of the effect; null: the call was reported and not begun.",
        )
        return super().get_fields() | {"class": said}


class ForkRef(Output):
    """A fork and the version it began on."""

    session_id = text()
    version = serializers.IntegerField()


class LabelRef(Output):
    """A label and the version it is on."""

    label = text()
    version = serializers.IntegerField()


class SchemaBoundary(Output):
    """Which schemas the head and the state to restore are of, where they differ."""

    head = maybe_text("The schema of the head.")
    restored = maybe_text("The schema of the state to restore.")
    migrates = serializers.BooleanField(
        help_text="Whether declared migrations lead from it to the head's: then "
        "`migrate_to` with the head's migrates it in the same batch."
    )


class Move(Output):
    """What is another by now than what made the state."""

    of = serializers.ChoiceField(choices=["release", "model", "schema"])
    was = text("What made the state.")
    now = text("What is to go on: as said, or what the agent writes with by now.")
    migrates = serializers.BooleanField(
        allow_null=True, help_text="Of a schema: whether migrations lead there."
    )


class RollbackPreview(Output):
    """What a rollback to a version would do to the head as it is."""

    object = text()
    session_id = text()
    version = serializers.IntegerField(help_text="The version to restore.")
    head = serializers.IntegerField(help_text="Give it as `expected_version`.")
    changes = ShownChange(many=True, help_text="From the head to that version.")
    change_count = serializers.IntegerField()
    truncated = serializers.BooleanField()
    summary = text("What changes, in words.")
    versions_set_aside = serializers.IntegerField()
    versions_brought_back = serializers.IntegerField(
        help_text="Versions that an earlier rollback set aside and that live again."
    )
    turns_set_aside = serializers.IntegerField()
    effects = CrossedEffect(
        many=True,
        help_text="What the agent began outside and the restored state does not know "
        "of, at most 50: unknown first, then what cannot be taken back.",
    )
    effects_crossed = serializers.IntegerField(
        help_text="How many of all would be owed for; reads are not."
    )
    effects_truncated = serializers.BooleanField()
    tool_calls = ReportedCall(
        many=True, help_text="Reported since the state to restore was made, at most 50."
    )
    tool_calls_since = serializers.IntegerField(
        help_text="The version that made that state: earlier than `version` where this "
        "is a rollback, a pause or another version that shows an earlier state."
    )
    tool_calls_truncated = serializers.BooleanField(
        help_text="There are or may be others: with no call listed, not everything was "
        "looked into."
    )
    schema = SchemaBoundary(
        allow_null=True,
        help_text="Null where both are of one schema: else the agent's code of now "
        "would find a state of another.",
    )
    moves = Move(
        many=True,
        help_text="Onto which other release, model or schema the state would go.",
    )
    outside = text("What a rollback cannot do.")
    forks = ForkRef(many=True, help_text="Begun on versions to be set aside.")
    forks_truncated = serializers.BooleanField()
    labels = LabelRef(many=True, help_text="On versions to be set aside.")
    labels_truncated = serializers.BooleanField()
    hold = serializers.ChoiceField(choices=Hold.choices)
    hold_recommended = serializers.BooleanField(
        help_text="The session was written to in the last five minutes."
    )


class Note(Output):
    """What somebody wrote down beside a session."""

    object = text()
    id = text()
    session_id = text()
    version = maybe_number("Null for a note about the whole session.")
    text = text()
    created_at = serializers.DateTimeField()
    created_by = serializers.CharField()


class NoteList(ListEnvelope):
    """One page of notes."""

    data = Note(many=True)


class TurnSummary(Output):
    """What was said in successive turns, told shortly."""

    object = text()
    id = text()
    session_id = text()
    first_turn = serializers.IntegerField()
    last_turn = serializers.IntegerField()
    version = serializers.IntegerField(help_text="The head that the last turn left.")
    set_aside_by = maybe_number(
        "The rollback that stepped behind these turns; null: the summary counts."
    )
    text = text()
    created_at = serializers.DateTimeField()
    created_by = serializers.CharField()


class FittingSummary(TurnSummary):
    """A summary that counts, beside the one that a context begins with."""

    similarity = serializers.FloatField(
        allow_null=True, help_text="How near the query it is, 0 to 1; null without one."
    )


class TurnSummaryList(ListEnvelope):
    """One page of summaries."""

    data = TurnSummary(many=True)


class Review(Output):
    """How a session went, as somebody says who has looked at it."""

    object = text()
    session_id = text()
    outcome = serializers.ChoiceField(choices=Outcome.choices)
    why = maybe_text()
    created_at = serializers.DateTimeField()
    created_by = text()


class Score(Output):
    """A number that an agent or evaluator gave a session."""

    object = text()
    session_id = text()
    name = text()
    value = serializers.FloatField()
    created_at = serializers.DateTimeField()
    created_by = text()
