"""What routes of checkpoints answer."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_serializer as named
from rest_framework import serializers

from apps.data.api.outputs import AUDIT, NUMBER, ListedKey, maybe_moment, moment
from apps.timeline.api.outputs.common import (
    Actor,
    ListEnvelope,
    Output,
    ShownChange,
    maybe_text,
    open_object,
    text,
)

IN_AUDIT = "The operation in the agent's audit."


def whole(help_text: str = "") -> serializers.IntegerField:
    return serializers.IntegerField(help_text=help_text)


class CheckpointFacts(Output):
    """A checkpoint, under every name that a client reads."""

    id = text()
    checkpoint_id = text("As `id`.")
    agent_id = text()
    label = maybe_text()  # type: ignore[assignment]
    description = maybe_text()
    metadata = open_object()
    number = whole(NUMBER)
    config_version = text("Such as v3; v0 is no config.")
    key_count = whole()
    entry_count = whole("As `key_count`.")
    total_size_bytes = whole()
    created_at = moment()
    created_by = text()
    audit_id = text(IN_AUDIT)


class DataSnapshot(Output):
    """How much data there was."""

    key_count = whole()
    total_size_bytes = whole()


@named(component_name="AgentCheckpoint")
class Checkpoint(CheckpointFacts):
    """A checkpoint of an agent's config and data."""

    object = text()
    data_snapshot = DataSnapshot()


@named(component_name="CreatedAgentCheckpoint")
class CreatedCheckpoint(Checkpoint):
    """A checkpoint at the top, where SDKs read, and under `checkpoint`."""

    checkpoint = CheckpointFacts()
    hint = maybe_text("What is better to say than a label that says nothing.")


@named(component_name="AgentCheckpointList")
class CheckpointList(ListEnvelope):
    """Checkpoints, the newest first."""

    data = Checkpoint(many=True)  # type: ignore[assignment]
    checkpoints = Checkpoint(many=True, help_text="As `data`.")
    total = whole("At most 1,000 are kept.")


class CheckpointKeys(CheckpointFacts):
    """A checkpoint with a page of its keys."""

    data_snapshot = ListedKey(many=True)
    has_more = serializers.BooleanField()
    next_cursor = maybe_text("Give it as `cursor` for the next page.")


@named(component_name="AgentCheckpointDetail")
class CheckpointDetail(Checkpoint):
    """A checkpoint with its counts; its keys stand in `checkpoint`."""

    checkpoint = CheckpointKeys()


@named(component_name="DeletedAgentCheckpoint")
class DeletedCheckpoint(Output):
    """What was deleted: a pointer; all history stays."""

    object = text()
    id = text()
    checkpoint_id = text("As `id`.")
    success = serializers.BooleanField()
    deleted = serializers.BooleanField()
    audit_id = text(IN_AUDIT)


class RestoreCounts(Output):
    """A restore, as documented."""

    checkpoint_id = text()
    entries_restored = whole("As `data_keys_restored`.")
    entries_removed = whole("As `data_keys_removed`.")
    restored_at = moment()


@named(component_name="AgentCheckpointRestore")
class Restore(RestoreCounts):
    """What a restore did."""

    object = text()
    dry_run = serializers.BooleanField()
    agent_id = text()
    restored_from = text()
    number = whole(NUMBER)
    config_restored = serializers.BooleanField()
    config_changed = serializers.BooleanField(help_text="It was another one before.")
    config_version = text("The version of the config that stands since.")
    data_restored = serializers.BooleanField()
    data_keys_restored = whole("Keys of the checkpoint that are in place.")
    data_keys_changed = whole("Those of them that were not before.")
    data_keys_removed = whole("Keys that it did not have.")
    data_keys_expired = whole("Its keys whose time was over: they stay absent.")
    data_keys_skipped = whole(
        "Its keys that others wrote while it went by steps: they stay as written."
    )
    steps = whole("Versions that it made; more than one above 10,000 keys touched.")
    restored = whole("As `data_keys_restored`.")
    audit_id = text(IN_AUDIT)
    verified = serializers.BooleanField(
        allow_null=True,
        help_text="What stands, recomputed, is what the checkpoint had; null: that was "
        "too much to look at.",
    )
    verified_why = maybe_text("Why it is not verified.")
    digest = maybe_text("Of what was recomputed.")
    restore = RestoreCounts()


class ConfigDifference(Output):
    """What differs between two versions of a config."""

    from_version = text()
    to_version = text()
    changes = ShownChange(many=True)
    change_count = whole()
    truncated = serializers.BooleanField()
    summary = text(allow_blank=True)


class SomeKeys(Output):
    """How many keys, and the first of them."""

    count = whole()
    keys = serializers.ListField(child=serializers.CharField())


class TouchedKeys(Output):
    """What would happen to keys."""

    set = SomeKeys()
    removed = SomeKeys()
    expired = SomeKeys(help_text="Keys of the checkpoint that stay absent.")


class RecentWriter(Actor):
    """Who wrote within the last minute."""

    writes = whole()
    last_at = maybe_moment()


@named(component_name="AgentCheckpointRestorePreview")
class RestorePreview(Output):
    """What a restore would do; nothing was written."""

    object = text()
    dry_run = serializers.BooleanField()
    agent_id = text()
    checkpoint_id = text()
    number = whole(NUMBER)
    expected_version = whole("As `number`: send it with the restore.")
    config = ConfigDifference()
    data = TouchedKeys()  # type: ignore[assignment]
    recent_writers = RecentWriter(many=True)


class KeyDifference(Output):
    """A key that differs."""

    key = text()
    change = text("added, removed or changed")
    size_before = whole()
    size_after = whole()


@named(component_name="AgentCheckpointComparison")
class Comparison(Output):
    """What differs from one checkpoint to another."""

    object = text()
    agent_id = text()
    to = Checkpoint()
    config = ConfigDifference()
    data = KeyDifference(many=True)  # type: ignore[assignment]
    added = serializers.ListField(child=serializers.CharField())
    removed = serializers.ListField(child=serializers.CharField())
    changed = serializers.ListField(child=serializers.CharField())
    has_more = serializers.BooleanField()
    next_cursor = maybe_text("Give it as `cursor` for the next page.")
    audit_id = maybe_text(AUDIT)

    def get_fields(self) -> dict[str, serializers.Field]:  # type: ignore[type-arg]
        return {"from": Checkpoint(), **super().get_fields()}


@named(component_name="AgentCheckpointScheduleSet")
class Schedule(Output):
    """When checkpoints of an agent are made; nulls where they are not."""

    object = text()
    agent_id = text()
    schedule = maybe_text("As it was said.")
    next_at = maybe_moment("When the next is due.")
