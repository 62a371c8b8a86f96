"""What callers get: each object as a superset of what every client reads.

Stored JSON is spliced as the bytes it is, never decoded and written again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orjson import Fragment

from apps.core import json
from apps.core.time.moments import utc_text
from apps.diffs.graphemes import cut
from apps.timeline.bodies import Part
from apps.timeline.bodies.bundles import PART_SHAPES, opaque_object
from apps.timeline.models import RequestKey, Session, Turn
from apps.timeline.queries.migrating import migrated_from
from apps.timeline.versions.reading import Rollback, VersionRow

PREVIEW = 200
# The totals of a session's turns, as they are answered.
SPENT = (
    *("turns", "input_tokens", "output_tokens", "cached_tokens", "tool_calls"),
    *("cost", "currency", "costed", "filled_in"),
)
# From here on a value of a turn is better kept as bytes of its own.
LARGE_VALUE = 256 * 1024
ADVISED = ("input", "output", "metadata")
BY_REFERENCE = (
    "upload what is large (PUT /v1/blobs/{sha256}) and name it in artifacts or in "
    "tool_results, so that it is sent once and kept once."
)


def session_object(
    session: Session, head: VersionRow, state: bytes, **extra: Any
) -> dict[str, Any]:
    """Return a session with the state of `head`."""
    return {
        "object": "session",
        "id": session.id,
        "agent_id": session.agent.external_id,
        "user_id": session.user_id,
        "external_id": session.external_id,
        "title": session.title,
        "status": session.status,
        "version": head.number,
        "created_at": utc_text(session.created_at),
        "updated_at": utc_text(max(session.updated_at, head.created_at)),
        "metadata": Fragment(bytes(session.metadata)),
        "state": Fragment(state),
        "memory_count": 0,
        "turn_count": session.turn_count,
        "rollback_count": session.rollback_count,
        "review": session.review,
        "scores": {name: float(one) for name, one in (session.scores or {}).items()},
        "ttl_expires_at": utc_text(session.expires_at),
        "forked_from": session.origin_session_id,
        "forked_version": session.origin_number,
        **extra,
    }


def first_session_object(
    session: Session, first: VersionRow, state: bytes, asked: RequestKey | None
) -> dict[str, Any]:
    """Return a session as it was when it was made: what a create and its replay say."""
    made = session_object(session, first, state)
    made |= {
        "status": "active",
        "updated_at": utc_text(first.created_at),
        "turn_count": 0,
        "rollback_count": 0,
        "review": None,
        "scores": {},
    }
    if asked is not None:
        made["title"] = asked.title
        made["metadata"] = Fragment(bytes(asked.metadata))
        made["ttl_expires_at"] = utc_text(asked.expires_at)
    return made


def last_rollback(rollback: Rollback | None) -> dict[str, Any] | None:
    """Return which rollback an agent may not have noticed."""
    if rollback is None:
        return None
    return {
        "version": rollback.number,
        "restored_version": rollback.restored_number,
        "at": utc_text(rollback.created_at),
    }


def version_object(
    version: VersionRow, labels: list[str], state: bytes | None = None
) -> dict[str, Any]:
    """Return a version; its state only where that was asked for."""
    shown: dict[str, Any] = {
        "object": "version",
        "session_id": version.session_id,
        "version": version.number,
        "op": version.op,
        "created_at": utc_text(version.created_at),
        "updated_by": version.actor_label,
        "actor": {
            "kind": version.actor_kind,
            "id": version.actor_id,
            "label": version.actor_label,
        },
        "reasoning": version.reasoning,
        "reason_code": version.reason_code,
        "trace_id": version.trace_id,
        "external_id": version.external_id,
        "parent_version": version.parent_number,
        "restored_version": version.restored_number,
        "undo_of": version.undo_of,
        "source_session_id": version.source_session_id,
        "source_version": version.source_number,
        "migrated_from": migrated_from(version),
        **_step(version),
        "hold": version.hold,
        "size": version.size,
        "flags": version.flags,
        "labels": labels,
        "changes": version.changes,
        "change_count": version.change_count,
        "changes_truncated": version.changes_truncated,
        "chain": version.chain.hex(),
        "contents_erased": not version.body_salt,
    }
    if state is not None:
        shown["state"] = Fragment(state)
    return shown


def checkpoint_object(version: VersionRow, parts: tuple[Part, ...]) -> dict[str, Any]:
    """Return everything that a resumed run needs; parts never written are null."""
    by_name = {part.name: Fragment(part.data) for part in parts}
    return {
        "object": "checkpoint",
        "session_id": version.session_id,
        "version": version.number,
        "created_at": utc_text(version.created_at),
        "trace_id": version.trace_id,
        "reasoning": version.reasoning,
        "hold": version.hold,
        **_step(version),
        "state": by_name["state"],
        **{name: by_name.get(name) for name in PART_SHAPES},
        "opaque": opaque_object(parts),
    }


def named_checkpoint_object(
    version: VersionRow, name: str, parts: tuple[Part, ...]
) -> dict[str, Any]:
    """Return a version as a checkpointer sees it, without state and writes."""
    return {
        "object": "named_checkpoint",
        "session_id": version.session_id,
        "version": version.number,
        "checkpoint_id": name,
        "op": version.op,
        "parent_version": version.parent_number,
        "restored_version": version.restored_number,
        "created_at": utc_text(version.created_at),
        "trace_id": version.trace_id,
        "hold": version.hold,
        "reasoning": version.reasoning,
        "size": version.size,
        "chain": version.chain.hex(),
        **_step(version),
        "opaque": opaque_object(parts),
    }


def turn_object(
    turn: Turn,
    parts: dict[str, bytes],
    before: bytes | None,
    after: bytes | None,
    *,
    states_erased: bool = False,
) -> dict[str, Any]:
    """Return a turn whole, with the previews that list clients read."""
    said = {side: _said(parts.get(side, b"{}")) for side in ("input", "output")}
    metadata = parts.get("metadata")
    return {
        "object": "turn",
        "id": turn.id,
        "session_id": turn.session_id,
        "turn_number": turn.turn_number,
        "version": turn.head_number,
        "made_version": turn.made_version,
        "created_at": utc_text(turn.created_at),
        **said,
        "input_preview": cut(said["input"]["content"], PREVIEW),
        "output_preview": cut(said["output"]["content"], PREVIEW),
        "metadata": None if metadata is None else Fragment(metadata),
        "reasoning": turn.reasoning,
        "trace_id": turn.trace_id,
        "state_before": None if before is None else Fragment(before),
        "state_after": None if after is None else Fragment(after),
        "contents_erased": turn.is_emptied,
        "states_erased": turn.is_emptied or states_erased,
        "usage": usage_object(turn.usage),
        "spent": spent_object(turn.spent),
        **_advice(parts),
    }


def usage_object(usage: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return what a turn said it used; null where it said nothing of it."""
    if not usage or usage.keys() <= {"tool_call"}:
        return None
    names = ("input_tokens", "output_tokens", "cached_tokens", "cost", "currency")
    said = {name: usage.get(name) for name in (*names, "model", "release")}
    return said | {"price_id": usage.get("price_id")}


def spent_object(spent: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return what turns used up to one; null where none said anything."""
    return None if spent is None else {name: spent.get(name) for name in SPENT}


def _advice(parts: dict[str, bytes]) -> dict[str, str]:
    """Say how large values are better kept, where a turn has one."""
    large = [name for name in ADVISED if len(parts.get(name, b"")) > LARGE_VALUE]
    if not large:
        return {}
    return {"advice": f"{' and '.join(large)} over 256 KiB: {BY_REFERENCE}"}


def _said(stored: bytes) -> dict[str, Any]:
    """Return one side: `content` always a text, what was sent beside it if it was not.

    Published clients refuse an object there.
    """
    said: dict[str, Any] = json.parse(stored)
    content = said.get("content")
    if not isinstance(content, str):
        said["content_json"] = content
        said["content"] = "" if content is None else json.dumps(content).decode()
    if not isinstance(said.get("type"), str):
        said["type"] = "text"
    return said


def _step(version: VersionRow) -> dict[str, Any]:
    return {
        "step_number": version.step_number,
        "parent_id": version.step_parent_id,
        "objective_status": version.objective_status,
        "schema_version": version.schema_version,
        "release": version.release,
        "model": version.model,
    }
