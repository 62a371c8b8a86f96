"""What is sent: the contract's body, `{id, type, created_at, data}`.

`data` is the resource as the API shows it, as far as the event knows it for ever, and
never a state: those are large, and whoever wants one asks for the version by its
number. What belongs to the event stands in it too: who did it, its trace, its details.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from orjson import Fragment

from apps.agents.models import Agent
from apps.audit.actions import Action
from apps.audit.entries import Entry
from apps.core import json
from apps.core.outbound.links import whole
from apps.core.time.moments import utc_text
from apps.data.audit.trail import audit_id
from apps.timeline.masking import MaskedReader, readers_of
from apps.timeline.models import Review, Session, Version
from apps.webhooks.kinds import REMOVALS, VERSION, message_id

Data = dict[str, Any]
STEP = {
    "step_number": "step_number",
    "parent_id": "step_parent_id",
    "objective_status": "objective_status",
    "schema_version": "schema_version",
    "release": "release",
    "model": "model",
}
JUDGED = (Action.SESSION_REVIEWED, Action.SESSION_SCORED)
REMOVING = (Action.DATA_DELETED, Action.DATA_EXPIRED)
# Told of an agent's data and config: what is not named here may be of a value.
OF_DATA = ("rule", "kind", "place", "version", "target")
OF_REMOVALS = ("removal_id", "versions", "ranges")
# So many keys are counted; more are told as so many.
MOST_COUNTED = 1_000
SAID = ("reasoning", "reason_code", "external_id", "undo_of", "size", "flags")
COUNTED = ("change_count", "changes_truncated")
VERSION_COLUMNS = (
    *("session_id", "number", "op", "parent_number", "restored_number", "hold"),
    *("created_at", "changes", *SAID, *COUNTED, *STEP.values()),
)


@dataclass(frozen=True, slots=True)
class Known:
    """What some events speak of, read at once."""

    sessions: dict[str, Session] = field(default_factory=dict)
    versions: dict[tuple[str, int], Version] = field(default_factory=dict)
    # Why somebody said how a session went, by the review's ordinal.
    whys: dict[tuple[str, int], str | None] = field(default_factory=dict)
    # What agents are called, whose data or config it is.
    agents: dict[str, str] = field(default_factory=dict)
    # How many keys are gone with a version of an agent's data.
    removed: dict[tuple[str, int], int] = field(default_factory=dict)
    # Who is told of a project that has masks: whoever listens at an address.
    readers: dict[str, MaskedReader] = field(default_factory=dict)


def known_of(events: Iterable[Entry]) -> Known:
    """Read the sessions, versions and reviews that these events name."""
    events = list(events)
    named = {
        (event.stream_id, event.number)
        for event in events
        if event.stream_id.startswith("sess_")
    }
    streams = {stream for stream, _ in named}
    sessions = Session.objects.filter(id__in=streams).select_related("agent")
    versions = Version.objects.filter(
        session_id__in=streams,
        number__in={number for _, number in named if number is not None},
    ).only(*VERSION_COLUMNS)
    return Known(
        {one.id: one for one in sessions},
        {
            (one.session_id, one.number): one
            for one in versions
            if (one.session_id, one.number) in named
        },
        _whys_of(event for event in events if event.action == Action.SESSION_REVIEWED),
        _agents_of(events),
        _removed_in(event for event in events if event.action in REMOVING),
        readers_of({event.project_id for event in events}),
    )


def _whys_of(reviewed: Iterable[Entry]) -> dict[tuple[str, int], str | None]:
    """Read why, one review after the other: people give few."""
    named = {(event.stream_id, event.details["review"]) for event in reviewed}
    return {
        (stream, ordinal): why
        for stream, ordinal in named
        for why in Review.objects.of_session(stream)
        .filter(ordinal=ordinal)
        .values_list("why", flat=True)
    }


def _agents_of(events: Iterable[Entry]) -> dict[str, str]:
    ids = {one.resource_id for one in events if one.resource_type in ("data", "config")}
    found = Agent.objects.filter(id__in=ids)
    return dict(found.values_list("id", "external_id")) if ids else {}


def _removed_in(removing: Iterable[Entry]) -> dict[tuple[str, int], int]:
    # A feed is loaded while Django starts, before there are models.
    from apps.timeline import queries

    named = {(one.stream_id, one.number) for one in removing if one.number is not None}
    return {
        (stream, number): queries.count_touched(stream, number, most=MOST_COUNTED)
        for stream, number in named
    }


def body_of(event: Entry, kind: str, known: Known) -> bytes:
    """Return the bytes that are sent, and signed, and sent again.

    Masked as the project's masks are now: nobody says who reads at an address.
    """
    data = _data(event, kind, known)
    reader = known.readers.get(event.project_id)
    if reader is not None:
        data = reader.message(data)
    return written(message_id(event, kind), kind, event.created_at, data)


def written(id: str, kind: str, created_at: datetime, data: Data) -> bytes:
    return json.dumps(
        {"id": id, "type": kind, "created_at": utc_text(created_at), "data": data}
    )


def _data(event: Entry, kind: str, known: Known) -> Data:
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
    """How much of a session went: nothing of what was in it, or of whom it was."""
    ids = {"object": "session", "id": event.stream_id, **_ids(event, known)}
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
