"""Results of the record: which one answers a read, and what may answer.

A result answers its own session, the forks of that up to where they began, and the
agent's other sessions where it is offered to them: never another agent or project.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from apps.agents.acts import Act
from apps.core import sql
from apps.timeline.ledger.effects.values import NewEffect, Source
from apps.timeline.queries.effects.result_rows import (
    ALL_FORGOTTEN_BY_AGENT,
    OF_CALL,
    ONE_OFFERED,
    PAGE,
    POINTER,
    POINTERS,
    SOME_OFFERED,
    Place,
    ResultRow,
    found_in,
    place_of,
    start_of,
)
from apps.timeline.words import CacheScope

# How far up the origins of forks are asked.
MOST_ORIGINS = 16
# How many pointers of an agent one page looks behind.
MOST_LOOKED_AT = 1_000


def find_result(
    act: Act, session_id: str, effect: NewEffect, digest: bytes
) -> Source | None:
    """Return the result that answers a read, None if it has to be called.

    The session's own come first, then those of the sessions it was forked from, then
    what the agent's other sessions offer. The caller has checked that the session may
    be seen, and holds its lock.
    """
    if effect.cache is None:
        return None
    asked: dict[str, Any] = {
        "project": act.project_id,
        "session": session_id,
        "now": act.now,
        "tool": effect.tool,
        "digest": digest,
    }
    place = start_of(asked)
    if place is None:
        return None
    asked |= {
        "agent": place.agent_id,
        "since": effect.cache.since(act.now),
        "set_aside": effect.cache.set_aside,
        "forgotten": place.forgotten,
        "limit": 1,
    }
    for one in _lineage(act, place):
        found = found_in(OF_CALL, one, **asked)
        if found:
            return found[0].source
    if effect.cache.scope == CacheScope.AGENT:
        return _offered(act, place, asked)
    return None


def session_results(
    session_id: str,
    *,
    project_id: str,
    now: datetime,
    tool: str | None = None,
    since: datetime | None = None,
    before: str | None = None,
    limit: int,
) -> list[ResultRow]:
    """Return up to `limit` + 1 of a session's results that may answer, newest first.

    They were made after `since`. The caller has looked the session up.
    """
    place = place_of(project_id, session_id, now)
    if place is None:
        return []
    of_agent = {"project": project_id, "agent": place.agent_id}
    said = sql.rows(ALL_FORGOTTEN_BY_AGENT, of_agent | {"since": place.created_at})
    asked: dict[str, Any] = {
        "tools": [one.tool for one in said],
        "digests": [one.digest for one in said],
        "ats": [one.at for one in said],
        "tool": tool,
        "since": since,
        "before": before,
        "limit": limit + 1,
    }
    return found_in(PAGE, place, **asked)


def agent_results(
    agent_id: str,
    *,
    project_id: str,
    now: datetime,
    tool: str | None = None,
    since: datetime | None = None,
    before: str | None = None,
    limit: int,
) -> tuple[list[ResultRow], str | None]:
    """Return up to `limit` + 1 results that an agent's sessions offer each other.

    With the pointer to go on behind, if the looking ended before there were so many:
    what points to a session that is gone, or to what is set aside, is looked past.
    """
    found: list[ResultRow] = []
    asked = {"project": project_id, "agent": agent_id, "tool": tool}
    for _ in range(MOST_LOOKED_AT // (limit + 1) + 1):
        given = asked | {"before": before, "limit": limit + 1}
        pointers = sql.rows(POINTERS, given)
        found += _behind(pointers, project_id, now, since)
        if len(found) > limit or len(pointers) <= limit:
            return found, None
        before = pointers[-1].effect_id
    return found, before


def _behind(
    pointers: Sequence[Any], project_id: str, now: datetime, since: datetime | None
) -> list[ResultRow]:
    """Return the results that pointers lead to and that may answer, in their order."""
    by_session: dict[str, list[str]] = {}
    for one in pointers:
        by_session.setdefault(one.session_id, []).append(one.effect_id)
    found: list[ResultRow] = []
    for session_id, ids in by_session.items():
        place = place_of(project_id, session_id, now)
        if place is not None:
            found += found_in(SOME_OFFERED, place, ids=ids, since=since, limit=len(ids))
    return sorted(found, key=lambda one: one.effect_id, reverse=True)


def _offered(act: Act, place: Place, asked: dict[str, Any]) -> Source | None:
    """Return what another session of the agent offers."""
    for pointer in sql.rows(POINTER, asked):
        there = place_of(act.project_id, pointer.session_id, act.now)
        if there is not None and there.agent_id == place.agent_id:
            found = found_in(ONE_OFFERED, there, **asked, ids=[pointer.effect_id])
            return found[0].source if found else None
    return None


def _lineage(act: Act, place: Place) -> Iterator[Place]:
    """Yield the session, then what it was forked from, as far as the agent is one.

    Of an origin that counts which the version it was forked from may know.
    """
    yield place
    agent_id = place.agent_id
    for _ in range(MOST_ORIGINS):
        if place.origin_session_id is None or place.origin_number is None:
            return
        origin = place_of(act.project_id, place.origin_session_id, act.now)
        if origin is None or origin.agent_id != agent_id:
            return
        began = place.until or place.created_at
        place = replace(
            origin,
            head=place.origin_number,
            until=min(began, place.created_at),
            is_origin=True,
        )
        yield place
