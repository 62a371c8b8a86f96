"""Incidents that were resolved: a check that fails in a newer release opens them again.

What was written under releases that were first seen after it was resolved is looked
into, some minutes later, as long as a session is written to: of one that goes on, what
came since the last look. How far is the id of an event, which sorts by its time; it
never passes one of which it is not yet known which release was first seen there.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Max

from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.audit.actions import Action
from apps.checks import Check
from apps.core import sql
from apps.core.actors import SYSTEM
from apps.core.database.troubles import is_in_trouble
from apps.core.errors import Busy
from apps.core.ids import first_id, new_id
from apps.core.provenance import Request
from apps.data.models import Release
from apps.incidents.looking import check_of, look
from apps.incidents.models import Incident, Member
from apps.incidents.operations.recording import append_entry, record
from apps.incidents.words import MOST, Deed, Status, Verdict
from apps.timeline.projection import waiting_since

# So old is what is looked into: until then what was begun earlier may still commit.
SETTLED = timedelta(minutes=5)
# Sessions that are looked into before it is written how far.
AT_ONCE = 20
# How long one sweep goes on; the next takes up what is left.
SWEEP_SECONDS = 20.0
# Incidents that are read at once, and releases of one incident.
AT_A_TIME = 100
MOST_RELEASES = 1_000
# Events that are passed over to find those.
AT_MOST = 2_000
# What was done next, and whether it wrote a version under one of these releases.
_NEXT = sql.across("""
SELECT e.id AS event, e.stream_id AS session, e.number,
       coalesce(v.release = ANY (%(names)s::text[]) AND s.kind = 'session', false)
           AS is_theirs
  FROM audit_event e
  LEFT JOIN timeline_version v ON v.session_id = e.stream_id AND v.number = e.number
  LEFT JOIN timeline_session s ON s.id = e.stream_id
 WHERE e.project_id = %(project)s AND e.id > %(after)s AND e.id < %(before)s
 ORDER BY e.id LIMIT %(limit)s
""")
_HEADS = sql.across("""
SELECT s.id, s.agent_id, s.head_number, v.release, v.model
  FROM timeline_session s
  JOIN timeline_version v ON v.session_id = s.id AND v.number = s.head_number
 WHERE s.id = ANY (%(sessions)s::text[]) ORDER BY s.id LIMIT %(limit)s
""")

log = structlog.get_logger("stepback.incidents")


@dataclass(frozen=True, slots=True)
class Written:
    """Sessions, with the first version written of each, and up to which event."""

    firsts: dict[str, int]
    last: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Watched:
    """Into how many sessions it was looked, and whether there may be more."""

    n_sessions: int
    goes_on: bool


def sweep(*, now: datetime) -> int:
    """Look into what was written, for incidents that are resolved; return at how many.

    Each goes on in turn, until there is no more or the time is up.
    """
    began, looked_into = time.monotonic(), 0
    watched: Iterable[Incident] = _all_watched()
    while True:
        goes_on: list[Incident] = []
        for one in watched:
            if time.monotonic() - began >= SWEEP_SECONDS:
                return looked_into
            looked = _watched_alone(one, now)
            looked_into += looked.n_sessions
            goes_on += [one] if looked.goes_on else []
        if not goes_on:
            return looked_into
        watched = goes_on


def _all_watched() -> Iterator[Incident]:
    """Yield all that were resolved, which stay so for good, some at once."""
    mine, after = Incident.objects.watched().select_related("project"), ""
    while page := list(mine.filter(id__gt=after)[:AT_A_TIME]):
        yield from page
        after = page[-1].id


def _watched_alone(incident: Incident, now: datetime) -> Watched:
    """Watch an incident; what is wrong with it must not hold up the rest."""
    try:
        return watch(incident, now=now)
    except Busy as away:
        log.warning("an incident waits", incident=incident.id, why=str(away))
    except Exception as error:
        # The database is gone or in need: the next sweep goes on.
        if is_in_trouble(error):
            raise
        log.exception("an incident was not watched", incident=incident.id)
    return Watched(n_sessions=0, goes_on=False)


def watch(incident: Incident, *, now: datetime) -> Watched:
    """Look into some sessions, and open the incident again where one does not pass."""
    names = _releases(incident)
    written = _next(incident, names, now) if names else None
    if written is None:
        return Watched(n_sessions=0, goes_on=False)
    check, scope = check_of(incident.check_text), Scope(incident.project)
    bad = [
        session_id
        for session_id, first in written.firsts.items()
        if _has_broken(scope, session_id, check, first, now)
    ]
    goes_on = _tell(incident, written.last, bad, now)
    return Watched(n_sessions=len(written.firsts), goes_on=goes_on)


def _heads(session_ids: Sequence[str]) -> Sequence[Any]:
    """Return the sessions with what their heads say."""
    if not session_ids:
        return ()
    asked = {"sessions": sql.text_array(session_ids), "limit": len(session_ids)}
    return sql.rows(_HEADS, asked)


def _has_broken(
    scope: Scope, session_id: str, check: Check | None, first: int, now: datetime
) -> bool:
    """Return whether a version does not pass from one on, while the one before does.

    What did not pass before is no news.
    """
    found = look(scope, session_id, check, now=now, first=max(first - 1, 0))
    if found.verdict is not Verdict.BAD or found.bad is None:
        return found.verdict is Verdict.BAD
    return found.bad.number >= first


def _releases(incident: Incident) -> list[str]:
    """Return the releases that were first seen after it was resolved, the newest.

    None that any agent had by then: an older one that reaches another agent is not
    new. None that a session of it was of: the worker may only have heard of it since.
    """
    theirs = Release.objects.filter(project_id=incident.project_id)
    older = theirs.filter(noted_at__lte=incident.resolved_at).values("name")
    since = theirs.exclude(name__in=older)
    mine = Member.objects.of_incident(incident.id)
    known = mine.exclude(release=None).values("release")
    broke = mine.exclude(bad_release=None).values("bad_release")
    new = since.exclude(name__in=known).exclude(name__in=broke).values("name")
    newest = new.annotate(noted=Max("noted_at")).order_by("-noted", "name")
    return [str(one["name"]) for one in newest[:MOST_RELEASES]]


def _next(incident: Incident, names: Sequence[str], now: datetime) -> Written | None:
    """Return what was written next under these releases; None where nothing was."""
    began = incident.resolved_at or now
    # No further than events have been followed: releases are noted from them.
    until = min(now - SETTLED, waiting_since() or now)
    asked = {
        "project": incident.project_id,
        "after": incident.watched_to or first_id("trace", began),
        "before": first_id("trace", until),
        "limit": AT_MOST,
        "names": sql.text_array(names),
    }
    firsts: dict[str, int] = {}
    last: str | None = None
    for row in sql.rows(_NEXT, asked):
        if row.is_theirs and row.session not in firsts:
            if len(firsts) == AT_ONCE:
                break
            firsts[row.session] = row.number
        last = row.event
    return None if last is None else Written(firsts, last)


@transaction.atomic
def _tell(incident: Incident, last: str, bad: Sequence[str], now: datetime) -> bool:
    """Write how far it was looked, and open it where it is still resolved.

    Return whether there is more to look into.
    """
    held = Incident.objects.select_for_update(no_key=True).get(id=incident.id)
    if held.check_text != incident.check_text or not held.is_resolved:
        return False
    held.watched_to = incident.watched_to = last
    mine = Member.objects.of_incident(held.id)
    known = mine.filter(session_id__in=bad)
    again = set(known.still_in().values_list("session_id", flat=True))
    taken_out = set(known.values_list("session_id", flat=True)) - again
    room = max(MOST - mine.still_in().count(), 0)
    added = [one for one in bad if one not in again | taken_out][:room]
    new = _heads(added)
    if not new and not again:
        held.save(update_fields=["watched_to"])
        return True
    held.status, held.resolved_at, held.checked_at = Status.OPEN, None, None
    held.save(update_fields=["watched_to", "status", "resolved_at", "checked_at"])
    # Since when they fail, another version tells by now than the one that was found.
    known.filter(session_id__in=again).forget_verdicts()
    Member.objects.bulk_create(
        Member(
            project_id=held.project_id,
            incident=held,
            session_id=row.id,
            agent_id=row.agent_id,
            head_number=row.head_number,
            release=row.release,
            model=row.model,
        )
        for row in new
    )
    act = Act(
        scope=Scope(incident.project),
        actor=SYSTEM,
        now=now,
        request=Request(id=new_id("req", now=now)),
    )
    under = "a release that was first seen after it was resolved"
    if new:
        append_entry(held, act, Deed.ADDED, text=f"{len(new)} of {under}")
    if again:
        told = f"{len(again)} of its sessions fail again, in {under}"
        append_entry(held, act, Deed.NOTED, text=told, place=1)
    append_entry(held, act, Deed.STATUS, text=Status.OPEN.value, place=2)
    record(Action.INCIDENT_REOPENED, held, act, {"sessions": len(new) + len(again)})
    return False
