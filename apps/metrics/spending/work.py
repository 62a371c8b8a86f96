"""Adds up the turns of a range, by the release that they are laid to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.core import sql
from apps.metrics import facts
from apps.metrics.range_query import Reading
from apps.metrics.spending.range import rows_of

CLOSED = sql.query("metrics", "worked")


@dataclass(slots=True)
class Work:
    """What turns were together: how many, calls among them, and how long."""

    turns: int = 0
    tool_calls: int = 0
    lasted_us: int = 0

    @property
    def minutes(self) -> int:
        """Whole minutes; no more than there were, because none is rounded up."""
        return timedelta(microseconds=self.lasted_us) // timedelta(minutes=1)


def worked(reading: Reading, *, release: str | None = None) -> Work:
    """Return the turns of a reading's agents; of one release alone if it is given."""
    total = Work()
    for row in rows_of(reading, CLOSED, facts.WORKED_OF_SPANS):
        if release is None or row.release == release:
            total.turns += row.turns
            total.tool_calls += row.tool_calls
            total.lasted_us += row.lasted_us
    return total


def who_worked(
    project_id: str, agent_id: str, release: str, since: datetime, until: datetime
) -> list[str]:
    """Return the sessions of an agent that had turns of a release, the newest first."""
    found = facts.sums(project_id, [(since, until)], facts.WHO_WORKED_IN_SPANS)
    mine = {
        row.session_id
        for row in found
        if (row.agent_id, row.release) == (agent_id, release)
    }
    return sorted(mine, reverse=True)
