"""Blame, as answered."""

from __future__ import annotations

from rest_framework import serializers

from apps.diffs.changes import Kind
from apps.timeline.api.outputs.common import (
    Actor,
    Output,
    Tombstone,
    differs_at,
    list_length,
    maybe_number,
    maybe_text,
    text,
)
from apps.timeline.words import Op

CARRIED = "carried"


class BlamedTurn(Output):
    """The turn that made the version."""

    id = text()
    turn_number = serializers.IntegerField()
    reasoning = maybe_text()
    trace_id = text()
    created_at = serializers.DateTimeField()


class Restorer(Output):
    """The newest rollback or merge that brought the value back."""

    session_id = text()
    version = serializers.IntegerField()
    restored_version = maybe_number("Of a rollback.")
    source_session_id = maybe_text("Of a promotion, a revert and the like.")
    source_version = maybe_number("Of a promotion, a revert and the like.")
    created_at = serializers.DateTimeField()
    actor = Actor()
    reasoning = maybe_text()
    reason_code = maybe_text()
    trace_id = text()


class BlamedVersion(Output):
    """A version that set the value or removed it: from what to what, who and why."""

    session_id = text("The session's, or that of an origin it was forked from.")
    version = serializers.IntegerField()
    pointer = text("Where the value stood then; a removed one, just before.")
    from_pointer = maybe_text("Where the value that it replaced stood.")
    kind = serializers.ChoiceField(
        choices=[*(kind.value for kind in Kind if kind is not Kind.MOVED), CARRIED],
        help_text="carried: from an origin of this fork that is hidden or gone.",
    )
    before = serializers.JSONField(
        required=False, help_text="Not there if nothing was, or it is not to be seen."
    )
    after = serializers.JSONField(required=False, help_text="Not there if removed.")
    shortened = serializers.BooleanField(help_text="Whether before and after are.")
    differs_at = differs_at()
    before_length = list_length()
    after_length = list_length()
    op = serializers.ChoiceField(choices=Op.choices)
    created_at = serializers.DateTimeField()
    actor = Actor()
    reasoning = maybe_text()
    reason_code = maybe_text()
    trace_id = text()
    turn = BlamedTurn(allow_null=True)
    restored_by = Restorer(allow_null=True)
    next = maybe_text("Give it as `starting_after` for the one before.")


class BlamedNotBefore(Output):
    """Where blame ended because the versions before are gone."""

    session_id = text()
    version = serializers.IntegerField(
        help_text="The value stood there; this version set it, or one that is gone."
    )
    code = text("version_pruned or contents_erased.")
    gone_session_id = text("Whose versions are gone: of a fork, perhaps its origin.")
    tombstone = Tombstone(allow_null=True)


class BlameList(Output):
    """The successive setters of one value, newest first."""

    object = text()
    session_id = text()
    version = serializers.IntegerField(help_text="The version that was asked about.")
    pointer = text()
    value = serializers.JSONField(
        required=False, help_text="What stands there; not there if it was removed."
    )
    shortened = serializers.BooleanField(help_text="Whether the value is.")
    value_length = list_length()
    data = BlamedVersion(many=True)
    has_more = serializers.BooleanField(help_text="Whether there may be more.")
    next = maybe_text("Give it as `starting_after` for what came before.")
    not_before = BlamedNotBefore(
        allow_null=True, help_text="null: nothing that was looked for is gone."
    )
