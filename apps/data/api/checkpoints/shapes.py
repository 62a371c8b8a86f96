"""What is told of checkpoints, in every spelling that clients read."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from orjson import Fragment

from apps.agents.models import Agent
from apps.core import json
from apps.core.time.moments import utc_text
from apps.data.api.shapes import audit_id, cursor_of, list_object
from apps.data.checkpoints.labels import hint_for
from apps.data.checkpoints.restores import Keys
from apps.data.documents.configs import ConfigVersion
from apps.data.models import Checkpoint
from apps.data.operations.checkpoints import AgentCheckpoint
from apps.data.operations.comparing import CheckpointComparison
from apps.data.operations.keeping.scheduling import AgentSchedule
from apps.data.operations.reading import KeyPage
from apps.data.operations.restoring import RestoredCheckpoint, RestorePreview
from apps.diffs.compare import compare
from apps.timeline.api.comparisons import change_list
from apps.timeline.queries import Difference


def checkpoint_object(agent: Agent, checkpoint: Checkpoint) -> dict[str, Any]:
    """Return a checkpoint at the top, where SDKs read."""
    return {
        "object": "checkpoint",
        **_facts(agent, checkpoint),
        "data_snapshot": {
            "key_count": checkpoint.keys,
            "total_size_bytes": checkpoint.bytes,
        },
    }


def created_object(made: AgentCheckpoint) -> dict[str, Any]:
    """Return a new checkpoint, once more under `checkpoint`, as documented."""
    return {
        **checkpoint_object(made.agent, made.checkpoint),
        "checkpoint": _facts(made.agent, made.checkpoint),
        "hint": hint_for(made.checkpoint.label),
    }


def detail_object(one: AgentCheckpoint, page: KeyPage, *, full: bool) -> dict[str, Any]:
    """Return a checkpoint, with a page of its keys inside `checkpoint`."""
    listed = list_object(page, is_full=full)
    return {
        **checkpoint_object(one.agent, one.checkpoint),
        "checkpoint": {
            **_facts(one.agent, one.checkpoint),
            "data_snapshot": listed["data"],
            "has_more": listed["has_more"],
            "next_cursor": listed["next_cursor"],
        },
    }


def deleted_object(checkpoint_id: str, event_id: str) -> dict[str, Any]:
    return {
        "object": "checkpoint",
        "id": checkpoint_id,
        "checkpoint_id": checkpoint_id,
        "success": True,
        "deleted": True,
        "audit_id": audit_id(event_id),
    }


def restore_object(done: RestoredCheckpoint) -> dict[str, Any]:
    """Return what a restore did, in the words of SDKs, documents and consoles."""
    restored, wanted = done.restored, done.wanted
    told = {
        "checkpoint_id": done.checkpoint.id,
        "entries_restored": done.in_place,
        "entries_removed": restored.removed,
        "restored_at": utc_text(restored.created_at),
    }
    return {
        "object": "restore",
        "dry_run": False,
        "agent_id": done.agent.id,
        "restored_from": done.checkpoint.id,
        "number": restored.number,
        "config_restored": wanted.config,
        "config_changed": restored.is_config_changed,
        "config_version": f"v{done.config_ordinal}",
        "data_restored": wanted.data,
        "data_keys_restored": done.in_place,
        "data_keys_changed": restored.changed,
        "data_keys_removed": restored.removed,
        "data_keys_expired": done.expired,
        "data_keys_skipped": done.skipped,
        "steps": done.steps,
        "restored": done.in_place,
        "audit_id": audit_id(done.event_id),
        "verified": done.verification.is_equal,
        "verified_why": done.verification.why,
        "digest": done.verification.digest,
        **told,
        "restore": told,
    }


def preview_object(found: RestorePreview) -> dict[str, Any]:
    """Return what a restore would do; `number` is the head that it was told for."""
    return {
        "object": "restore_preview",
        "dry_run": True,
        "agent_id": found.agent.id,
        "checkpoint_id": found.checkpoint.id,
        "number": found.number,
        "expected_version": found.number,
        "config": _config_diff(found.config_before, found.config_after),
        "data": {
            "set": _keys(found.set),
            "removed": _keys(found.removed),
            "expired": _keys(found.expired),
        },
        "recent_writers": [
            asdict(one) | {"last_at": utc_text(one.last_at)} for one in found.writers
        ],
    }


def schedule_object(found: AgentSchedule) -> dict[str, Any]:
    """Return when checkpoints are made; nulls where they are not."""
    one = found.schedule
    return {
        "object": "checkpoint_schedule",
        "agent_id": found.agent.id,
        "schedule": None if one is None else one.schedule,
        "next_at": None if one is None else utc_text(one.due_at),
    }


def comparison_object(found: CheckpointComparison) -> dict[str, Any]:
    """Return a page of the keys that differ, and how the configs do."""
    shown = [_difference(one) for one in found.keys]
    last = found.keys[-1].key if found.keys and found.has_more else None
    return {
        "object": "checkpoint_comparison",
        "agent_id": found.agent.id,
        "from": checkpoint_object(found.agent, found.first),
        "to": checkpoint_object(found.agent, found.second),
        "config": _config_diff(found.config_before, found.config_after),
        "data": shown,
        **{
            kind: [one["key"] for one in shown if one["change"] == kind]
            for kind in ("added", "removed", "changed")
        },
        "has_more": found.has_more,
        "next_cursor": None if last is None else cursor_of(last),
        "audit_id": audit_id(found.event_id),
    }


def _facts(agent: Agent, checkpoint: Checkpoint) -> dict[str, Any]:
    return {
        "id": checkpoint.id,
        "checkpoint_id": checkpoint.id,
        "agent_id": agent.id,
        "label": checkpoint.label,
        "description": checkpoint.description,
        "metadata": Fragment(json.dumps(checkpoint.metadata)),
        "number": checkpoint.number,
        "config_version": f"v{checkpoint.config_ordinal}",
        "key_count": checkpoint.keys,
        "entry_count": checkpoint.keys,
        "total_size_bytes": checkpoint.bytes,
        "created_at": utc_text(checkpoint.created_at),
        "created_by": checkpoint.actor_label,
        "audit_id": audit_id(checkpoint.event_id),
    }


def _config_diff(before: ConfigVersion, after: ConfigVersion) -> dict[str, Any]:
    states = [json.parse_written(one.config) for one in (before, after)]
    return {
        "from_version": f"v{before.ordinal}",
        "to_version": f"v{after.ordinal}",
        **change_list(compare(*states)),
    }


def _keys(keys: Keys) -> dict[str, Any]:
    return {"count": keys.count, "keys": list(keys.first)}


def _difference(row: Difference) -> dict[str, Any]:
    change = "changed"
    if row.before is None or row.after is None:
        change = "added" if row.before is None else "removed"
    return {
        "key": row.key,
        "change": change,
        "size_before": row.size_before,
        "size_after": row.size_after,
    }
