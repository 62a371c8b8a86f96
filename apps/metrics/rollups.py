"""Keep the rollups: note the hours of events, and add up the hours that are over.

1. `note_due` is fed with the events and notes the hours that they fall into as due, in
   the transaction that takes them out of the outbox; so none is passed by.
2. `roll_up` adds up each due hour that is over, and that no event waits for, from the
   facts, in one transaction with taking it off the list.
Until then whoever reads counts a due hour from the facts, and those of events that are
not fed yet, so the numbers are the same at any moment: before, between and after, with
any number of workers or with none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from time import monotonic

from django.db import connection, transaction

from apps.audit.entries import Entry
from apps.core import sql
from apps.metrics import facts
from apps.metrics.facts import HOUR
from apps.timeline import projection

# An hour is over for good when who began in it has long been stopped.
SETTLES = timedelta(seconds=60)
PATIENCE_SECONDS = 50.0
# The facts of one hour of one project, at most: a minute is a thousand times enough.
LONGEST_MS = 600_000

# Where an event comes late, into an hour that is over, the same session's later hours
# change with it: they told how long ago it was seen.
NOTE_DUE = sql.query("metrics", "note_due")
# A subquery in place of `next` could be asked once for each row of the table: each time
# the row that was just deleted is skipped, and more than one is taken.
TAKE = """
WITH next AS MATERIALIZED (
    SELECT project_id, hour FROM metrics_due
     WHERE hour <= %(over)s AND (%(project)s::text IS NULL OR project_id = %(project)s)
       AND hour < coalesce(%(waits)s::timestamptz, 'infinity')
     ORDER BY hour, project_id LIMIT 1 FOR UPDATE SKIP LOCKED)
DELETE FROM metrics_due d USING next
 WHERE d.project_id = next.project_id AND d.hour = next.hour
RETURNING d.project_id, d.hour
"""
FORGET = """
WITH sums AS (DELETE FROM metrics_sum
               WHERE project_id = %(project)s AND hour = %(since)s)
, used AS (DELETE FROM metrics_usage
               WHERE project_id = %(project)s AND hour = %(since)s)
, worked AS (DELETE FROM metrics_worked
               WHERE project_id = %(project)s AND hour = %(since)s)
DELETE FROM metrics_reach WHERE project_id = %(project)s AND hour = %(since)s
RETURNING 1
"""
KEEP_SUMS = f"""
INSERT INTO metrics_sum (project_id, agent_id, hour, began, versions, turns, rollbacks,
                         undos, repeats, forks, aside, waited, stored, tool_calls,
                         tool_errors, timed, latency_ms, latency_max, counted_by)
SELECT %(project)s, s.* FROM metrics_sums_v5({facts.ASKED}) s RETURNING 1
"""
KEEP_REACHES = f"""
INSERT INTO metrics_reach (project_id, agent_id, measure, value, hour, gap, sessions,
                           acts)
SELECT %(project)s, r.* FROM metrics_reaches_v6({facts.ASKED}) r RETURNING 1
"""
KEEP_USAGE = f"""
INSERT INTO metrics_usage (project_id, agent_id, hour, release, model, currency, turns,
                           costed, filled_in, input_tokens, output_tokens,
                           cached_tokens, cost)
SELECT %(project)s, u.* FROM metrics_usage_v1({facts.ASKED}) u RETURNING 1
"""
KEEP_WORKED = f"""
INSERT INTO metrics_worked (project_id, agent_id, hour, release, turns, tool_calls,
                            lasted_us)
SELECT %(project)s, w.* FROM metrics_worked_v2({facts.ASKED}) w RETURNING 1
"""
KEPT = (KEEP_SUMS, KEEP_REACHES, KEEP_USAGE, KEEP_WORKED)
# Whoever remembers what closed hours said asks again. Last in the transaction: two
# hours of one project wait for each other here, and nowhere before.
REVISE = """
INSERT INTO metrics_revision AS r (project_id, number) VALUES (%(project)s, 1)
    ON CONFLICT (project_id) DO UPDATE SET number = r.number + 1 RETURNING 1
"""
# Every hour that has something, or is said to have had.
HOURS = """
INSERT INTO metrics_due (project_id, hour)
SELECT DISTINCT e.project_id, date_trunc('hour', e.created_at, 'UTC')
  FROM audit_event e
 WHERE e.project_id = %(project)s AND e.stream_id LIKE 'sess\\_%%'
 UNION
SELECT project_id, hour FROM metrics_sum WHERE project_id = %(project)s
ON CONFLICT DO NOTHING
"""
LEFT = "SELECT count(*) AS hours FROM metrics_due WHERE project_id = %s AND hour <= %s"


def note_due(entries: Sequence[Entry], now: datetime) -> None:
    """Note the hours that these events of sessions fall into."""
    found = [one for one in entries if one.stream_id.startswith("sess_")]
    if found:
        asked = {
            "now": now,
            "streams": [one.stream_id for one in found],
            "projects": [one.project_id for one in found],
            "moments": [one.created_at for one in found],
        }
        sql.rows(NOTE_DUE, asked)


def roll_up(*, now: datetime, project_id: str | None = None) -> Iterator[datetime]:
    """Add up the due hours that are over, the oldest first; yield each when it is."""
    while (hour := _one(now, project_id)) is not None:
        yield hour


def sweep(*, now: datetime) -> int:
    """Roll up, for as long as one sweep may take."""
    began, done = monotonic(), 0
    for _ in roll_up(now=now):
        done += 1
        if monotonic() - began > PATIENCE_SECONDS:
            break
    return done


def rebuild(
    *, project_id: str, now: datetime, tell: Callable[[int, int, datetime], None]
) -> int:
    """Make a project's rollups anew, hour by hour; return how many hours there were.

    `tell` hears after each how many are done, how many there are, and which it was.
    It can be stopped and started again: what is left stays due.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        _take_time()
        cursor.execute(HOURS, {"project": project_id})
    ((hours,),) = sql.rows(LEFT, [project_id, _over(now)])
    done = 0
    for hour in roll_up(now=now, project_id=project_id):
        done += 1
        tell(done, max(done, hours), hour)
    return done


@transaction.atomic
def _one(now: datetime, project_id: str | None) -> datetime | None:
    # No hour from there on is complete.
    since = projection.waiting_since()
    waits = None if since is None else facts.hour_of(since)
    taken = sql.rows(TAKE, {"over": _over(now), "project": project_id, "waits": waits})
    if not taken:
        return None
    _take_time()
    ((project, hour),) = taken
    asked = facts.asked(project, hour, hour + HOUR)
    for statement in (FORGET, *KEPT, REVISE):
        sql.rows(statement, asked)
    return facts.hour_of(hour)


def _over(now: datetime) -> datetime:
    """Return the last hour that is over."""
    return facts.hour_of(now - SETTLES) - HOUR


def _take_time() -> None:
    """Let this transaction take longer than a request may."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL statement_timeout = {LONGEST_MS}")
