"""The projector: derive from history what appends left for later, and feed events.

An append writes its version and one row of `timeline_pending`; what search and blame
read follows from that row, hundreds at a time, in the worker. Whatever reads it adds
what is still pending, so answers do not depend on when the projector runs: it makes
them cheap. Any number may run at once, and one that is killed leaves no trace.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import structlog
from django.db import transaction

from apps.audit import feeding
from apps.audit.entries import COLUMNS, Entry
from apps.core import sql
from apps.core.database.troubles import is_in_trouble
from apps.timeline.projection import kept, openings
from apps.timeline.projection.kept import PendingKey

log = structlog.get_logger("stepback.projector")

# Rows of one transaction: 100 to 150 microseconds a version, and a fifth of a second
# at most for whoever waits for one of its rows.
AT_ONCE = 500
# Paths and terms of one transaction: a large version may touch a thousand.
KEYS_AT_ONCE = 20_000

_TAKE = """
SELECT * FROM timeline_take_pending_v1(
    %(after)s::varchar, %(most)s::bigint, %(keys)s::bigint, %(session)s::varchar)
"""
_EVENTS = sql.query("timeline", "pending_events", columns=COLUMNS)
_NEXT = sql.across(
    "SELECT min(session_id) AS session_id FROM timeline_pending WHERE session_id > %s"
)
_PROJECT = """
SELECT timeline_project_v2(
    %(sessions)s::varchar[], %(numbers)s::bigint[], %(turns)s::bigint[]) IS NULL
"""


@dataclass(frozen=True, slots=True)
class Step:
    """What one transaction projected, and the session to go on behind.

    `reached` is None at the end of a round through all sessions. `is_cut`: it was as
    much as one transaction takes, so that rows of its last session may be left.
    """

    taken: int
    reached: str | None
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Round:
    """How many rows a round projected, and whether it was cut short somewhere."""

    taken: int
    is_cut: bool


def project_some(after: str | None, *, now: datetime) -> Step:
    """Project the next sessions behind this one, None for the first of all."""
    return _projected(after=after or "", session=None, now=now)


def project_session(session_id: str, *, now: datetime) -> int:
    """Project all that waits of one session; return how many rows that were.

    It waits for another projector that works on the session.
    """
    return _projected(after="", session=session_id, now=now).taken


def project_round(*, now: datetime) -> Round:
    """Go once through all sessions.

    A session that cannot be projected is passed by and logged: it stops nobody else.

    Raises: OperationalError, InterfaceError.
    """
    taken, after, is_cut = 0, None, False
    while True:
        try:
            step = project_some(after, now=now)
        except Exception as error:
            if is_in_trouble(error):
                raise
            # It is one of these sessions, and is found below.
            step = _project_past_failing(after, now)
        taken, after = taken + step.taken, step.reached
        is_cut = is_cut or step.is_cut
        if after is None:
            return Round(taken, is_cut)


def project_all(*, now: datetime) -> int:
    """Project until a round finds nothing; return how many rows that were."""
    taken = 0
    while some := project_round(now=now).taken:
        taken += some
    return taken


def _project_past_failing(after: str | None, now: datetime) -> Step:
    """Project one session after the other, and pass by the first that fails.

    So it costs one batch that is undone, wherever in it the session is. Behind as many
    sessions as a batch may have it goes on in batches: what failed may have passed.
    """
    taken = 0
    for _ in range(AT_ONCE):
        after = sql.rows(_NEXT, [after or ""])[0].session_id
        if after is None:
            break
        try:
            taken += project_session(after, now=now)
        except Exception as error:
            if is_in_trouble(error):
                raise
            log.exception("a session cannot be projected", session_id=after)
            break
    return Step(taken, after)


@transaction.atomic
def _projected(*, after: str, session: str | None, now: datetime) -> Step:
    asked = {
        "after": after,
        "most": AT_ONCE,
        "keys": KEYS_AT_ONCE,
        "session": session,
    }
    (taken,) = sql.rows(_TAKE, asked)
    if not taken.taken:
        return Step(0, taken.reached)
    keys = sorted(map(PendingKey, taken.sessions, taken.numbers, taken.turns))
    done = 0
    # What is too much at once is left behind, as a session with a long backlog is.
    while done == 0 or (session is not None and done < len(keys)):
        some = keys[done : done + kept.keep_pending(keys[done:])]
        columns = map(list, zip(*some, strict=True))
        rows = dict(zip(("sessions", "numbers", "turns"), columns, strict=True))
        feeding.feed(sql.records(Entry, _EVENTS, rows), now=now)
        openings.keep(rows["sessions"], rows["turns"])
        sql.rows(_PROJECT, rows)
        done += len(some)
    reached = keys[done - 1].session_id if done < len(keys) else taken.reached
    is_cut = done < len(keys) or len(keys) == AT_ONCE
    return Step(done, reached, is_cut)
