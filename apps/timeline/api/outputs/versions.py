"""Versions, checkpoints and labels, as answered."""

from __future__ import annotations

from rest_framework import serializers

from apps.core.http.input.fields import ListField, ObjectField, OpaqueField
from apps.timeline.api.outputs.common import (
    Actor,
    KeptChange,
    ListEnvelope,
    Output,
    Step,
    contents_erased,
    maybe_number,
    maybe_text,
    open_object,
    removed,
    text,
)
from apps.timeline.words import Hold, Op


class Version(Step):
    """One immutable version: what it changed, who made it and why."""

    object = text()
    session_id = text()
    version = serializers.IntegerField()
    op = serializers.ChoiceField(choices=Op.choices)
    created_at = serializers.DateTimeField()
    updated_by = text()
    actor = Actor()
    reasoning = maybe_text()
    reason_code = maybe_text(
        "Of a rollback; of a decision its outcome, of a migration `migrated_from`."
    )
    trace_id = text()
    external_id = maybe_text()
    parent_version = maybe_number()
    restored_version = maybe_number("On a rollback.")
    undo_of = maybe_number("On a rollback that undoes another one.")
    source_session_id = maybe_text(
        "Of a promotion, a revert and the like: whose version was merged."
    )
    source_version = maybe_number("That version.")
    migrated_from = maybe_text(
        "Of a migration: the schema that the state was of before; `schema_version` "
        "is the one that it is of now."
    )
    hold = serializers.ChoiceField(choices=Hold.choices)
    size = serializers.IntegerField(help_text="Bytes of the state as JSON.")
    flags = serializers.ListField(child=serializers.CharField())
    labels = serializers.ListField(child=serializers.CharField())
    changes = KeptChange(many=True, help_text="The first changes, values shortened.")
    change_count = serializers.IntegerField()
    changes_truncated = serializers.BooleanField()
    chain = text("The version's place in the proof, hex.")
    contents_erased = contents_erased()
    state = ObjectField(
        required=False, help_text="Where states were asked for, unless erased."
    )
    set_aside_by = serializers.IntegerField(
        allow_null=True, required=False, help_text="The rollback that set it aside."
    )


class VersionList(ListEnvelope):
    """One page of versions."""

    data = Version(many=True)
    removed = removed("between these")
    current_version = serializers.IntegerField()


class StateHistory(Output):
    """Versions of a session with their states."""

    object = text()
    session_id = text()
    data = Version(many=True)
    removed = removed("between these")
    current_version = serializers.IntegerField()
    has_more = serializers.BooleanField()


class Checkpoint(Step):
    """Everything that a run resumes from; parts never written are null."""

    object = text()
    session_id = text()
    version = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    trace_id = text()
    reasoning = maybe_text()
    hold = serializers.ChoiceField(choices=Hold.choices)
    state = open_object()
    messages = ListField(required=True)
    tool_results = ObjectField(required=True)
    model_params = ObjectField(required=True)
    tasks = ListField(required=True)
    artifacts = ListField(required=True)
    facts = ListField(required=True)
    opaque = OpaqueField(required=True, allow_null=False)


class PendingWrite(Output):
    """What a task wrote, before the checkpoint that will hold it."""

    task_id = text()
    task_path = text()
    index = serializers.IntegerField()
    channel = text()
    type = text("How it was written, by whoever wrote it.")
    base64 = text()


class NamedCheckpoint(Step):
    """A version as a checkpointer sees it."""

    object = text()
    session_id = text()
    version = serializers.IntegerField()
    checkpoint_id = text("Its external_id, else a UUID that leads to its number.")
    op = serializers.ChoiceField(choices=Op.choices)
    parent_version = maybe_number()
    restored_version = maybe_number("On a rollback.")
    created_at = serializers.DateTimeField()
    trace_id = text()
    hold = serializers.ChoiceField(choices=Hold.choices)
    reasoning = maybe_text()
    size = serializers.IntegerField(help_text="Bytes of the state as JSON.")
    chain = text("The version's place in the proof, hex.")
    opaque = OpaqueField(required=True, allow_null=False)
    state = ObjectField(required=False, help_text="Where states were asked for.")
    writes = PendingWrite(many=True, help_text="In the order of their tasks.")


class NamedCheckpointList(ListEnvelope):
    """One page of checkpoints, newest first."""

    data = NamedCheckpoint(many=True)
    removed = removed("or emptied between these")
    session_id = text()
    current_version = serializers.IntegerField(help_text="The number of the head.")


class WritesAdded(Output):
    """How many writes are kept for a checkpoint."""

    object = text()
    session_id = text()
    checkpoint_id = text()
    task_id = text()
    count = serializers.IntegerField()


class VersionsHidden(Output):
    """Which versions a checkpointer sees no more."""

    object = text()
    session_id = text()
    first_version = serializers.IntegerField()
    last_version = serializers.IntegerField()


class Label(Output):
    """A name that somebody gave a version."""

    object = text()
    session_id = text()
    version = serializers.IntegerField()
    label = text()
    created_at = serializers.DateTimeField()
    created_by = text()
