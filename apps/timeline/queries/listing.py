"""Lists: sessions, versions, turns, traces. Keyset paging, no offset, no count.

One function per list, so that a list can move to an index table of its own without
its callers knowing. A page with states also ends where its bytes exceed a budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

from apps.agents.scope import Scope
from apps.audit.actions import Action
from apps.audit.models import Event
from apps.audit.querysets import EventQuerySet
from apps.core import sql
from apps.timeline import bodies
from apps.timeline.ledger.drafts import Receipt
from apps.timeline.models import Session, SessionName, Turn
from apps.timeline.querysets import SessionQuerySet
from apps.timeline.scores import ScoreFilter
from apps.timeline.versions.lineage import Lineage, set_aside_by

PAGE_BYTES = 16 * 1024 * 1024
TURNS_LOOKED_AT = 500
Item = TypeVar("Item")


@dataclass(frozen=True, kw_only=True, slots=True)
class VersionChanges:
    """What a trace tells of the version it is about."""

    session_id: str
    number: int
    restored_number: int | None
    reason_code: str | None
    reasoning: str | None
    trace_id: str
    actor_label: str
    changes: list[dict[str, Any]]
    agent: str
    user_id: str | None

    def __post_init__(self) -> None:
        """Open what an encrypting project has sealed.

        Raises: KeysUnavailable.
        """
        reasoning = bodies.opened_text(self.session_id, self.reasoning)
        object.__setattr__(self, "reasoning", reasoning)
        changes = bodies.opened_changes(self.session_id, self.changes)
        object.__setattr__(self, "changes", changes)


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionFilter:
    """Which sessions are asked for; None leaves a clause out."""

    agent: str | None = None
    user: str | None = None
    status: str | None = None
    external_id: str | None = None
    review: str | None = None
    score: ScoreFilter | None = None
    forked_from: str | None = None
    metadata: dict[str, Any] | None = None
    created_after: datetime | None = None
    created_before: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TraceFilter:
    """Which traces are asked for; None leaves a clause out."""

    session_id: str | None = None
    agent: str | None = None
    user: str | None = None
    actions: Sequence[Action] | None = None
    resource_type: str | None = None
    resource_id: str | None = None
    after: datetime | None = None
    before: datetime | None = None


def sessions(
    scope: Scope,
    wanted: SessionFilter,
    *,
    after_id: str | None,
    limit: int,
    now: datetime,
) -> list[Session]:
    """Return up to `limit` + 1 live sessions, newest first."""
    found = (
        Session.objects.of_project(scope.project.id)
        .of_agents(scope.agents)
        .alive(now=now)
        .of_agent(scope.project.id, wanted.agent)
        .by(user=wanted.user, status=wanted.status, origin=wanted.forked_from)
        .reviewed(wanted.review)
        .scored(wanted.score)
        .created_between(wanted.created_after, wanted.created_before)
        .with_metadata(wanted.metadata)
        .newest_first(after_id=after_id)
    )
    if wanted.external_id is not None:
        # By the name's own key: no index has it of sessions.
        names = SessionName.objects.filter(
            project_id=scope.project.id, external_id=wanted.external_id
        )
        found = found.filter(id__in=names.values("session_id"))
    return list(found[: limit + 1])


def recent_turns(
    session_id: str, *, lineage: Lineage | None, limit: int, since: int = 0
) -> list[Turn]:
    """Return the newest turns, newest first, that were made on live versions.

    Those that were emptied say nothing any more, and are left out.
    Live is what the head's `lineage` says; None keeps those set aside as well. Turns up
    to the number `since` are left out.
    """
    there = Turn.objects.of_session(session_id).with_contents()
    newest = there.in_order(newest_first=True, after=None)
    if lineage is None:
        return list(newest.filter(turn_number__gt=since)[:limit])
    live = islice(_live_turns(session_id, lineage, since), limit)
    return list(newest.filter(turn_number__in=list(live)))


def _live_turns(session_id: str, lineage: Lineage, since: int) -> Iterator[int]:
    """Yield the numbers of the turns on live versions, newest first.

    Turns and their heads rise together, so the lineage is never read further down
    than to the oldest turn looked at.
    """
    after: int | None = None
    while True:
        older = (
            Turn.objects.of_session(session_id)
            .with_contents()
            .filter(turn_number__gt=since)
            .in_order(newest_first=True, after=after)
        )
        found = list(older.values_list("turn_number", "head_number")[:TURNS_LOOKED_AT])
        if not found:
            return
        ranges = lineage.down_to(found[-1][1])
        for turn_number, head_number in found:
            if set_aside_by(ranges, head_number) is None:
                yield turn_number
        after = found[-1][0]


def turns(
    session_id: str, *, newest_first: bool, after: int | None, limit: int
) -> list[Turn]:
    """Return up to `limit` + 1 turns of a session that was looked up already."""
    found = Turn.objects.of_session(session_id)
    return list(found.in_order(newest_first=newest_first, after=after)[: limit + 1])


def turn(session_id: str, receipt: Receipt) -> Turn:
    """Return the turn that a write stored."""
    number = receipt.turn_number or 0
    return Turn.objects.of_session(session_id).get(turn_number=number)


def spent(session_id: str) -> dict[str, Any] | None:
    """Return what a session's turns used up to the last one; None: none said it."""
    mine = Turn.objects.of_session(session_id).order_by("-turn_number")
    return mine.values_list("spent", flat=True).first()


def traces(
    scope: Scope, wanted: TraceFilter, *, before_id: str | None, limit: int
) -> list[Event]:
    """Return up to `limit` + 1 events of the project, newest first.

    Those of a session, or of an agent's sessions, are what happened in them and what
    was done to the memories that they taught.
    """
    found: list[Event] = []
    for events in _events(scope, wanted):
        narrowed = _narrowed(events, wanted).newest_first()
        found += narrowed.before(before_id)[: limit + 1]
    return sorted(found, key=lambda one: one.id, reverse=True)[: limit + 1]


def trace(scope: Scope, trace_id: str) -> Event | None:
    """Return one event of the project by its id."""
    for events in _events(scope, TraceFilter()):
        found = events.filter(id=trace_id).first()
        if found is not None:
            return found
    return None


def version_changes(
    wanted: Sequence[tuple[str, int]],
) -> dict[tuple[str, int], VersionChanges]:
    """Return what versions of several sessions changed, in one query."""
    if not wanted:
        return {}
    found = sql.records(
        VersionChanges,
        """
        SELECT v.session_id, v.number, v.restored_number, v.reason_code, v.reasoning,
               v.trace_id, v.actor_label, v.changes, a.external_id AS agent, s.user_id
          FROM unnest(%s::varchar[], %s::bigint[]) w (session_id, number)
          JOIN timeline_version v
            ON v.session_id = w.session_id AND v.number = w.number
          JOIN timeline_session s ON s.id = v.session_id
          JOIN agents_agent a ON a.id = s.agent_id
        """,
        [[one for one, _ in wanted], [number for _, number in wanted]],
    )
    return {(one.session_id, one.number): one for one in found}


def turn_reasons(
    wanted: Sequence[tuple[str, str]],
) -> dict[tuple[str, str], str | None]:
    """Return the reasoning of turns of several sessions, in one query."""
    if not wanted:
        return {}
    found = sql.rows(
        """
        SELECT t.session_id, t.id, t.reasoning
          FROM unnest(%s::varchar[], %s::varchar[]) w (session_id, id)
          JOIN timeline_turn t ON t.session_id = w.session_id AND t.id = w.id
        """,
        [[one for one, _ in wanted], [turn_id for _, turn_id in wanted]],
    )
    return {
        (row.session_id, row.id): bodies.opened_text(row.session_id, row.reasoning)
        for row in found
    }


def within_bytes(items: list[Item], size_of: Callable[[Item], int]) -> list[Item]:
    """Cut a page before the item that would exceed the byte budget; keep one.

    What counts is what is decoded for it: a small state may lie in a large body.
    """
    total = 0
    for index, item in enumerate(items):
        total += size_of(item)
        if index and total > PAGE_BYTES:
            return items[:index]
    return items


def _events(scope: Scope, wanted: TraceFilter) -> list[EventQuerySet]:
    """Return the events of whom is asked for, each once: by indexes of their own."""
    events = memories = Event.objects.for_project(scope.project.id)
    is_named = wanted.agent is not None or wanted.user is not None
    if wanted.session_id is not None:
        events = events.for_stream(wanted.session_id)
        memories = memories.of_memories(taught_by=wanted.session_id)
    if scope.agents is None and not is_named:
        return [events] if wanted.session_id is None else [events, memories]
    sessions = _sessions_of(scope)
    if is_named:
        sessions = sessions.of_agent(scope.project.id, wanted.agent)
        sessions = sessions.by(user=wanted.user)
    ids = sessions.values("id")
    # What a key's agents know that no session taught is of no session and no user.
    is_of_agents = wanted.session_id is None and not is_named
    names = scope.agents or () if is_of_agents else ()
    return [
        events.filter(stream_id__in=ids),
        memories.of_memories_taught_in(ids, or_of=sorted(names)),
    ]


def _narrowed(found: EventQuerySet, wanted: TraceFilter) -> EventQuerySet:
    if wanted.actions is not None:
        found = found.with_action(list(wanted.actions))
    if wanted.resource_type is not None:
        found = found.filter(resource_type=wanted.resource_type)
    if wanted.resource_id is not None:
        found = found.filter(resource_id=wanted.resource_id)
    return found.between(wanted.after, wanted.before)


def _sessions_of(scope: Scope) -> SessionQuerySet:
    return Session.objects.of_project(scope.project.id).of_agents(scope.agents)
