"""What is answered of a merge, as the OpenAPI document describes it."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from apps.diffs.changes import Kind
from apps.timeline.api.outputs.common import (
    Output,
    ShownChange,
    maybe_number,
    maybe_text,
    text,
)
from apps.timeline.words import Hold


class MergePlace(Output):
    """A version of a session."""

    session_id = text()
    version = serializers.IntegerField()


class ConflictSide(Output):
    """A value as one side has it."""

    is_there = serializers.BooleanField(help_text="Whether there is one.")
    value = serializers.JSONField(required=False)
    size = serializers.IntegerField(
        required=False, help_text="In place of a value that is too large to be shown."
    )


class MergeConflict(Output):
    """What both sides changed, and not alike."""

    id = text("Names it in `choices`; another conflict has another one.")
    part = text("state, another part of JSON, or opaque.")
    kind = text("value, removed, inserted, order, window, moved or opaque.")
    pointer = text("RFC 6901, into the part as it was before.")
    length = maybe_number("Of a stretch of a list: so many items from there.")
    picks = serializers.ListField(
        child=serializers.CharField(), help_text="What may be chosen for it."
    )
    base = ConflictSide(help_text="As it was before.")
    ours = ConflictSide(help_text="As the head has it.")
    theirs = ConflictSide(help_text="As it would come in.")
    choice = maybe_text("What was chosen, where that still holds.")


class TakenChange(Output):
    """A change that comes in."""

    part = text()
    pointer = text("RFC 6901, into the part as it was before.")
    kind = serializers.ChoiceField(choices=[kind.value for kind in Kind])


class MergeResult(Output):
    """What changes in the head's state."""

    changes = ShownChange(many=True)
    change_count = serializers.IntegerField()
    truncated = serializers.BooleanField()
    summary = text("What changes, in words.")


class LeftEffect(Output):
    """What an agent did outside, and does not come along."""

    id = text()
    key = text()
    tool = text()
    status = text()
    version = serializers.IntegerField()

    def get_fields(self) -> dict[str, Any]:
        return super().get_fields() | {"class": text()}


class MergePreview(Output):
    """What a merge would do to the head as it is."""

    object = text()
    op = text("promote, revert, reapply or restore.")
    session_id = text()
    head = serializers.IntegerField(help_text="Give it as `expected_version`.")
    hold = serializers.ChoiceField(choices=Hold.choices)
    base = MergePlace(help_text="What changed from there to `source` comes in.")
    nothing_to_merge = serializers.BooleanField(
        help_text="The head has all of it already."
    )
    conflicts = MergeConflict(many=True)
    conflict_count = serializers.IntegerField()
    unchosen = serializers.IntegerField(help_text="Conflicts without a choice.")
    result = MergeResult(
        allow_null=True, help_text="Null while a conflict is not chosen."
    )
    changes_taken = TakenChange(many=True, help_text="The first 500 that come in.")
    changes_taken_count = serializers.IntegerField()
    changes_kept_count = serializers.IntegerField(
        help_text="What the head alone has changed since: it stays."
    )
    changes_alike_count = serializers.IntegerField(help_text="What both changed alike.")
    takes_opaque = serializers.BooleanField(
        help_text="Opaque parts come from there: a checkpointer goes on from them."
    )
    turns_left = serializers.IntegerField(help_text="Turns that do not come along.")
    effects_left = LeftEffect(
        many=True, help_text="At most 50, newest first, that do not come along."
    )
    effects_left_count = serializers.IntegerField()
    outside = text()

    def get_fields(self) -> dict[str, Any]:
        """`source` is the name of something else in REST framework."""
        return super().get_fields() | {"source": MergePlace()}
