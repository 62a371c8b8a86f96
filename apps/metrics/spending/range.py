"""Adds up a range: closed hours rolled up, the rest counted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from apps.core import sql
from apps.metrics import facts
from apps.metrics.range_query import Reading, stretches
from apps.metrics.spending.used import Spent, Used

CLOSED = sql.query("metrics", "usage")
BY = ("agent", "release", "model")


def spent(reading: Reading, by: str = "agent", *, release: str | None = None) -> Spent:
    """Return what the agents of a reading used; of one release alone if it is given."""
    total, found = Used(), dict[str, Used]()
    column = "agent_id" if by == "agent" else by
    for row in rows_of(reading, CLOSED, facts.USAGE_OF_SPANS):
        if release is None or row.release == release:
            total.add(row)
            found.setdefault(getattr(row, column), Used()).add(row)
    return Spent(total=total, by=found)


def rows_of(reading: Reading, closed: str, live_spans: str) -> Iterable[Any]:
    """Yield the rows of a range: of its closed hours, and counted of those live."""
    since, until, live = reading.hours
    asked = {
        "project": reading.project_id,
        "since": since,
        "until": until,
        "live_hours": live,
        "agents": None if reading.agents is None else list(reading.agents),
    }
    yield from sql.rows(closed, asked)
    if live:
        for row in facts.sums(reading.project_id, stretches(live), live_spans):
            if reading.agents is None or row.agent_id in reading.agents:
                yield row
