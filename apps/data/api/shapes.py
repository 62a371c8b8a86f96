"""What is told of an agent's data and config, in every spelling that clients read."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from orjson import Fragment

from apps.accounts.operations import Redaction
from apps.agents.models import Agent
from apps.core import json
from apps.core.errors import InvalidRequest
from apps.core.time.moments import utc_text
from apps.data.audit import trail
from apps.data.documents.configs import ConfigVersion
from apps.data.documents.values import KeptValue, NewValue, WriteResult, kept_in
from apps.data.operations.configuring import AgentConfig, ConfigPage
from apps.data.operations.reading import KeyPage, Reading, VersionPage
from apps.data.operations.removing import Removal
from apps.data.operations.searching import SearchResult
from apps.timeline.queries import PastEntry


def audit_id(event_id: str | None) -> str | None:
    """Return the id under which the agent's audit has this event."""
    return None if event_id is None else trail.audit_id(event_id)


def write_object(result: WriteResult) -> dict[str, Any]:
    """Return what became of one value; of a blocked one also which policy and why."""
    told: dict[str, Any] = {
        "key": result.key,
        "allowed": result.block is None,
        "audit_id": audit_id(result.event_id),
        "version": result.ordinal,
        "number": result.number,
        "expires_at": utc_text(result.expires_at),
        "created_at": utc_text(result.created_at),
    }
    if result.passage is not None:
        told |= result.passage.told()
    if result.block is not None:
        told |= {
            "blocked_by": str(result.block.rule),
            "reason": result.block.message,
            "message": result.block.message,
            "kind": result.block.kind,
            "place": result.block.place,
            "masked": result.block.masked,
            "also": [one.told() for one in result.block.also],
        } | ({"floor": True} if result.block.is_by_floor else {})
    return told


def batch_object(results: Sequence[WriteResult]) -> dict[str, Any]:
    allowed = sum(result.block is None for result in results)
    return {
        "results": [write_object(result) for result in results],
        "summary": {
            "total": len(results),
            "allowed": allowed,
            "blocked": len(results) - allowed,
        },
    }


def blocked_keys(items: Callable[[], Sequence[NewValue]]) -> Redaction:
    """Have the keys of blocked writes not kept in an answer that may be repeated.

    What is blocked may stand in the key itself. A request that is repeated has the
    same `items`, in the same order as their results.
    """

    def without(body: bytes) -> bytes:
        answer = kept_in(body)
        for result in _results(answer):
            result["key"] = result["key"] if result["allowed"] else None
        return json.dumps(answer)

    def whole(kept: bytes) -> bytes:
        answer = kept_in(kept)
        for result, item in zip(_results(answer), items(), strict=True):
            result["key"] = item.key
        return json.dumps(answer)

    return Redaction(without=without, whole=whole)


def value_object(reading: Reading) -> dict[str, Any]:
    """Return a value at the top, and once more under `entry`."""
    entry = _entry(reading.value) | {"audit_id": audit_id(reading.event_id) or ""}
    return {"object": "data_entry", **entry, "entry": entry}


def list_object(page: KeyPage, *, is_full: bool) -> dict[str, Any]:
    shown = [_entry(one) if is_full else _listed(one) for one in page.values]
    last = page.values[-1].key if page.values and page.has_more else None
    return {
        "object": "list",
        "data": shown,
        "keys": [{"key": one.key} for one in page.values],
        "has_more": page.has_more,
        "total": page.total,
        "next_cursor": None if last is None else cursor_of(last),
        "audit_id": audit_id(page.event_id),
    }


def history_object(page: VersionPage) -> dict[str, Any]:
    shown = [_past(row, page.bodies) for row in page.entries]
    last = str(page.entries[-1].ordinal) if page.entries and page.has_more else None
    return {
        "object": "list",
        "data": shown,
        "versions": shown,
        "removed": list(page.removed),
        "has_more": page.has_more,
        "next_cursor": last,
        "audit_id": audit_id(page.event_id),
    }


def search_object(result: SearchResult) -> dict[str, Any]:
    """Return what was found, and how it was looked for."""
    return {
        "object": "list",
        "results": [
            {
                "key": one.value.key,
                "value": one.value.value,
                "similarity": one.similarity,
                "metadata": one.value.metadata,
            }
            for one in result.matches
        ],
        "method": result.method.value,
        "truncated": result.is_truncated,
        "pending": result.pending,
        "stale": result.stale,
        "why": result.why,
        "audit_id": audit_id(result.event_id),
    }


def removal_object(removal: Removal) -> dict[str, Any]:
    return {
        "success": True,
        "deleted": removal.count,
        "deleted_count": removal.count,
        "number": removal.number,
        "audit_id": audit_id(removal.event_id),
    }


def config_object(found: AgentConfig) -> dict[str, Any]:
    """Return a version of a config; v0, which nobody made, is as old as the agent."""
    agent, version = found.agent, found.version
    return {
        "object": "config",
        "agent_id": agent.id,
        **_version(agent, version),
        "config": Fragment(version.config),
        "floor": Fragment(found.floor),
        "previous_version": (
            f"v{version.ordinal - 1}" if version.ordinal > 0 else None
        ),
    }


def config_list_object(page: ConfigPage, *, limit: int) -> dict[str, Any]:
    versions = page.versions
    shown = [_version(page.agent, one) for one in versions[:limit]]
    has_more = len(versions) > limit
    return {
        "object": "list",
        "data": shown,
        "versions": shown,
        "has_more": has_more,
        "next_cursor": str(versions[limit - 1].ordinal) if has_more else None,
    }


def cursor_of(key: str) -> str:
    """Return the place behind a key, as pages name it."""
    return urlsafe_b64encode(key.encode()).decode().rstrip("=")


def key_behind(cursor: str) -> str:
    """Return the key that a page ended with.

    Raises: InvalidRequest.
    """
    padding = "=" * (-len(cursor) % 4)
    try:
        key = urlsafe_b64decode(cursor + padding).decode()
    except ValueError:
        key = ""
    if not key or "\0" in key or cursor_of(key) != cursor:
        raise InvalidRequest("cursor takes the next_cursor of a page.", param="cursor")
    return key


def _version(agent: Agent, version: ConfigVersion) -> dict[str, Any]:
    return {
        "version": f"v{version.ordinal}",
        "number": version.number,
        "created_at": utc_text(version.created_at or agent.created_at),
        "created_by": version.created_by,
        "summary": version.summary,
        "audit_id": audit_id(version.event_id),
    }


def _results(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what became of each value, of one or of a batch."""
    results: list[dict[str, Any]] = answer.get("results", [answer])
    return results


def _listed(value: KeptValue) -> dict[str, Any]:
    return {
        "key": value.key,
        "size": value.size,
        "version": value.ordinal,
        "number": value.number,
        "created_at": utc_text(value.created_at),
        "updated_at": utc_text(value.updated_at),
        "expires_at": utc_text(value.expires_at),
    }


def _entry(value: KeptValue) -> dict[str, Any]:
    about = _listed(value) | {"value": value.value, "metadata": value.metadata}
    return about | ({"contents_erased": True} if value.is_emptied else {})


def _past(row: PastEntry, bodies: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
    body = bodies.get(row.body_number or 0)
    return {
        "key": row.key,
        "version": row.ordinal,
        "number": row.number,
        "cause": row.cause,
        "value": None if body is None else body["value"],
        "metadata": None if body is None else body["metadata"],
        "contents_erased": row.is_emptied,
        "size": row.size,
        "restored_number": row.restored_number,
        "actor": {
            "kind": row.actor_kind,
            "id": row.actor_id,
            "label": row.actor_label,
        },
        "reasoning": row.reasoning,
        "created_at": utc_text(row.created_at),
        "created_by": row.actor_label,
        "expires_at": utc_text(row.expires_at),
        "audit_id": audit_id(row.trace_id),
    }
