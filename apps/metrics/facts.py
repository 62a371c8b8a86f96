"""Asks the SQL functions what the facts of a time add up to.

`created_at` says when something happened. Events are found by the time in their ids,
which is that of the writer's clock: never later, and at most `CLOCK` earlier.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from apps.core import sql
from apps.core.ids import CLOCK, first_id

Spans = Sequence[tuple[datetime, datetime]]

HOUR = timedelta(hours=1)
ASKED = "%(project)s, %(first)s, %(last)s, %(since)s, %(until)s"
SPANS = """
unnest(%(firsts)s::varchar[], %(lasts)s::varchar[], %(sinces)s::timestamptz[],
       %(untils)s::timestamptz[]) AS span (first, last, since, until)
"""
OF_SPAN = "%(project)s, span.first, span.last, span.since, span.until"
SUMS_OF_SPANS = f"SELECT s.* FROM {SPANS}, metrics_sums_v5({OF_SPAN}) s"
USAGE_OF_SPANS = f"SELECT u.* FROM {SPANS}, metrics_usage_v1({OF_SPAN}) u"
WORKED_OF_SPANS = f"SELECT w.* FROM {SPANS}, metrics_worked_v2({OF_SPAN}) w"
WHO_WORKED_IN_SPANS = f"""
SELECT DISTINCT w.session_id, w.agent_id, w.release
  FROM {SPANS}, metrics_worked_turns_v2({OF_SPAN}) w
"""
REACHES_OF_SPANS = f"SELECT r.* FROM {SPANS}, metrics_reaches_v6({OF_SPAN}) r"
# Of a time that does not begin at a whole hour: the sessions themselves.
EXACT = f"""
SELECT agent_id, measure, value, count(DISTINCT session_id) AS sessions,
       sum(acts)::bigint AS acts
  FROM metrics_seen_v6({ASKED}) GROUP BY agent_id, measure, value
"""


def asked(project_id: str, since: datetime, until: datetime) -> dict[str, Any]:
    """Return the parameters of the facts from `since` on and before `until`."""
    return {
        "project": project_id,
        "first": first_id("trace", since - CLOCK),
        "last": first_id("trace", until),
        "since": since,
        "until": until,
    }


def sums(project_id: str, spans: Spans, query: str = SUMS_OF_SPANS) -> list[Any]:
    """Return the sums of each hour in these stretches, in one statement.

    With `USAGE_OF_SPANS` those of what turns said they used, with `WORKED_OF_SPANS`
    those of the turns themselves by release, with `WHO_WORKED_IN_SPANS` their sessions.
    """
    return sql.rows(query, _spans(project_id, spans))


def reaches(project_id: str, spans: Spans) -> list[Any]:
    """As `sums`, what sessions had."""
    return sql.rows(REACHES_OF_SPANS, _spans(project_id, spans))


def sums_of(project_id: str, since: datetime, until: datetime) -> list[Any]:
    """Return the sums of any time, by the hour."""
    return sums(project_id, [(since, until)])


def exact(project_id: str, since: datetime, until: datetime) -> list[Any]:
    return sql.rows(EXACT, asked(project_id, since, until))


def _spans(project_id: str, spans: Spans) -> dict[str, Any]:
    each = [asked(project_id, since, until) for since, until in spans]
    names = ("first", "last", "since", "until")
    told = {f"{name}s": [one[name] for one in each] for name in names}
    return {"project": project_id, **told}


def hour_of(at: datetime) -> datetime:
    return at.replace(minute=0, second=0, microsecond=0)
