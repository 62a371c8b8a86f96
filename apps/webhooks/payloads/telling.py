"""How an event's resource is told, by its kind.

As the API shows it, as far as the event knows it for ever, and never a state: those are
large, and whoever wants one asks for the version by its number. What belongs to the
event stands in it too: who did it, its trace, its details.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from orjson import Fragment

from apps.audit.actions import Action
from apps.audit.entries import Entry
from apps.core.outbound.links import whole
from apps.core.time.moments import utc_text
from apps.data.audit.trail import audit_id
from apps.webhooks.kinds import REMOVALS, VERSION
from apps.webhooks.payloads.known import COUNTED, REMOVING, SAID, STEP, Known

Data = dict[str, Any]
JUDGED = (Action.SESSION_REVIEWED, Action.SESSION_SCORED)
# Told of an agent's data and config: what is not named here may be of a value.
OF_DATA = ("rule", "kind", "place", "version", "target")
OF_REMOVALS = ("removal_id", "versions", "ranges")


def data_of(event: Entry, kind: str, known: Known) -> Data:
    name = "version" if kind == VERSION else event.resource_type
    if kind in JUDGED or kind in REMOVALS:
        name = "judged" if kind in JUDGED else "removal"
    elif kind.startswith("session."):
        name = "session"
    return TOLD.get(name, _plain)(event, known) | {
        "trace_id": event.id,
        "request_id": event.request_id,
        "actor": {
            "kind": event.actor_kind,
            "id": event.actor_id,
            "label": event.actor_label,
        },
    }


def _session(event: Entry, known: Known) -> Data:
    data: Data = {"object": "session", "id": event.stream_id, **_ids(event, known)}
    version = known.versions.get((event.stream_id, event.number or 0))
    session = known.sessions.get(event.stream_id)
    if session is not None:
        data |= {
            "external_id": session.external_id,
            "created_at": utc_text(session.created_at),
            "updated_at": utc_text(event.created_at),
            "metadata": Fragment(bytes(session.metadata)),
            "ttl_expires_at": utc_text(session.expires_at),
            "forked_from": session.origin_session_id,
            "forked_version": session.origin_number,
        }
    if event.number is not None and version is not None:
        data |= {
            "version": version.number,
            "status": "active" if version.hold == "open" else version.hold,
            "reason": version.reasoning,
            "reason_code": version.reason_code,
            "restored_version": version.restored_number,
            "undo_of": version.undo_of,
        }
    return {**event.details, **data}


def _judged(event: Entry, known: Known) -> Data:
    """How a session went, by a review or a score: neither changes the session."""
    session = known.sessions.get(event.stream_id)
    data = _session(event, known)
    if session is not None:
        data["updated_at"] = utc_text(session.updated_at)
    if event.action == Action.SESSION_REVIEWED:
        ordinal = data.pop("review")
        data["why"] = known.whys.get((event.stream_id, ordinal))
    else:
        data["value"] = float(data["value"])
    return data


def _removal(event: Entry, known: Known) -> Data:
    """How much of a session, or of a document that an agent keeps, went: nothing of
    what was in it, or of whom it was.
    """
    ids = {"object": event.resource_type, "id": event.stream_id, **_ids(event, known)}
    del ids["user_id"]
    return ids | {name: event.details.get(name) for name in OF_REMOVALS}


def _version(event: Entry, known: Known) -> Data:
    data = {"object": "version", **_ids(event, known), "version": event.number}
    version = known.versions.get((event.stream_id, event.number or 0))
    if version is None:
        return data
    return data | {
        "op": version.op,
        "created_at": utc_text(version.created_at),
        "parent_version": version.parent_number,
        "restored_version": version.restored_number,
        "hold": version.hold,
        # Where something changed, but not from what to what: that is state.
        "changes": [
            {name: one[name] for name in ("pointer", "kind") if name in one}
            for one in version.changes
        ],
        **{name: getattr(version, name) for name in (*SAID, *COUNTED)},
        **{name: getattr(version, column) for name, column in STEP.items()},
    }


def _turn(event: Entry, known: Known) -> Data:
    return {
        "object": "turn",
        "id": event.resource_id,
        **_ids(event, known),
        "version": event.number,
        "turn_number": event.details.get("turn_number"),
        "created_at": utc_text(event.created_at),
    }


def _of_data(event: Entry, known: Known) -> Data:
    """What was done to an agent's data or config: no key, no value, no part of one."""
    data: Data = {
        "object": event.resource_type,
        "id": event.resource_id,
        "agent_id": known.agents.get(event.resource_id),
        "at": event.number,
        "audit_id": audit_id(event.id),
    }
    if event.action in REMOVING:
        data["keys"] = known.removed.get((event.stream_id, event.number or 0))
    return data | {one: event.details[one] for one in OF_DATA if one in event.details}


def _with_addresses(event: Entry, known: Known) -> Data:
    """As it was recorded, with paths as the addresses that people open."""
    return {
        name.replace("_path", "_url"): whole(told) if name.endswith("_path") else told
        for name, told in _plain(event, known).items()
    }


def _named(by: str) -> Callable[[Entry, Known], Data]:
    return lambda event, known: _plain(event, known) | {"id": event.details[by]}


def _approval(event: Entry, known: Known) -> Data:
    """Which approval, of which tool, and what came of it; never what is asked."""
    data = {**_plain(event, known), **_ids(event, known)}
    return data | {"id": event.details.get("approval_id"), "version": event.number}


def _memory(event: Entry, known: Known) -> Data:
    """Which memory, whose, and where from; never what it says."""
    data = {"session_id": None, **_plain(event, known)}
    return data | {"id": event.details.get("memory_id"), "at": event.number}


def _plain(event: Entry, known: Known) -> Data:
    """Anything else: what the event itself tells."""
    return {**event.details, "object": event.resource_type, "id": event.resource_id}


def _ids(event: Entry, known: Known) -> Data:
    session = known.sessions.get(event.stream_id)
    return {
        "session_id": event.stream_id,
        "agent_id": None if session is None else session.agent.external_id,
        "user_id": None if session is None else session.user_id,
    }


# By the event's resource type. Where another app's resource is told better by a
# function of its own, it enters it here when it starts.
TOLD: dict[str, Callable[[Entry, Known], Data]] = {
    "session": _session,
    "judged": _judged,
    "removal": _removal,
    "version": _version,
    "turn": _turn,
    "data": _of_data,
    "config": _of_data,
    "checkpoint": _named("checkpoint_id"),
    "exception": _named("exception_id"),
    "memory": _memory,
    "approval": _approval,
    "alert": _with_addresses,
    "summary": _with_addresses,
}
