"""What differs between versions, where sessions parted, and checks, as answered."""

from __future__ import annotations

from rest_framework import serializers

from apps.checks import Outcome
from apps.timeline.api.outputs.common import (
    Output,
    ShownChange,
    maybe_number,
    maybe_text,
    text,
)
from apps.timeline.queries.divergence import Reason
from apps.timeline.stepping import DifferenceKind

OUTCOMES = [(one.value, one.name) for one in Outcome]


class Compared(Output):
    """Which two versions were compared."""

    object = text()
    session_id = text()
    from_version = serializers.IntegerField()
    to_session_id = text("The same session unless `other` names another.")
    to_version = serializers.IntegerField()


class ChangeList(Compared):
    """What differs between two versions."""

    changes = ShownChange(many=True)
    change_count = serializers.IntegerField()
    truncated = serializers.BooleanField()
    summary = text("What changed, in words.")


class PatchOperation(Output):
    """One operation of RFC 6902."""

    op = text("add, remove or replace")
    path = text("RFC 6901, into the state as the operations before it leave it.")
    value = serializers.JSONField(required=False, help_text="Not there for remove.")


class Patch(Compared):
    """What makes the one state the other: never cut, all operations in their order."""

    patch = PatchOperation(many=True)


class StepPlace(Output):
    """A step of one of two sessions: a version, or a call that belongs to one."""

    version = serializers.IntegerField()
    op = maybe_text("What the version did; null for a call.")
    tool = maybe_text("The tool that was called; null for a version.")
    set_aside = serializers.BooleanField(
        help_text="Whether a rollback has set that version aside since."
    )


class StepDifference(Output):
    """The first step in which two sessions differ in one way."""

    kind = serializers.ChoiceField(
        choices=DifferenceKind.choices,
        help_text=(
            "action: another tool, or an act such as a rollback; arguments: the same "
            "tool with something else; state: what versions set."
        ),
    )
    pointer = maybe_text(
        "Where arguments, or what versions set, begin to differ. Null for all of it, "
        "and where that was not kept."
    )
    step = StepPlace(allow_null=True, help_text="Null: this session has no such step.")
    other_step = StepPlace(allow_null=True, help_text="Null: the other has none.")


class StepsRead(Output):
    """Which steps of a session were read to find the first differences."""

    from_version = maybe_number("Null where it has made no step of its own.")
    to_version = maybe_number()
    is_all = serializers.BooleanField(
        help_text="False: what came later was not looked at, and may differ as well."
    )


class Divergence(Output):
    """The last version that two sessions share, and how far each has gone since."""

    object = text()
    session_id = text()
    other_session_id = maybe_text("Null if there is none that you may see.")
    common_session_id = maybe_text("Null if they share no version that you may see.")
    common_version = maybe_number()
    versions_since = maybe_number("Up to the head, a fork's version 0 among them.")
    other_versions_since = maybe_number()
    reason = serializers.ChoiceField(
        choices=Reason.choices,
        allow_null=True,
        help_text=(
            "Why no shared version is told. not_forked: it is no fork, and no other "
            "session was named; unrelated: they share none; hidden: one comes from a "
            "session that you may not see; too_deep: one has too many forks behind it."
        ),
    )
    first_differences = StepDifference(
        many=True,
        help_text=(
            "Of the steps of both since they parted, aligned by what customers said: "
            "the first that differ in action, in arguments, in state. Times, drawn ids "
            "and what is noise for an agent are no difference."
        ),
    )
    steps_read = StepsRead(allow_null=True, help_text="Null without another session.")
    other_steps_read = StepsRead(allow_null=True)


class Checked(Output):
    """Whether a check holds for a version's state."""

    object = text()
    session_id = text()
    version = serializers.IntegerField()
    check = text("The check, written in full.")
    pointers = serializers.ListField(
        child=serializers.CharField(allow_blank=True),
        help_text="Places in the state that it looks at; of a list, the list's.",
    )
    outcome = serializers.ChoiceField(choices=OUTCOMES)
    holds = serializers.BooleanField(
        allow_null=True, help_text="Null where it is undecided."
    )
    looks = serializers.IntegerField(help_text="Values and tokens looked at.")
