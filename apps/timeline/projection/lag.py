"""How far the projector is behind: what a page over many sessions may have missed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from apps.core import sql
from apps.core.monitoring.fresh import Fresh

# Rows that are counted: with more it only matters that there are more.
COUNTED = 1_000
# With a long backlog the oldest row is found by reading all of it: 0.1 s for a million.
OLDEST_SECONDS = 5.0

_COUNTED = """
SELECT count(*) AS rows, min(p.at) AS oldest
  FROM (SELECT at FROM timeline_pending LIMIT %(most)s) p
"""
_OLDEST = sql.across("SELECT min(at) AS oldest FROM timeline_pending")
# A turn alone has no first version.
_VERSIONS = sql.across("""
SELECT p.session_id, p.first_number, p.number FROM timeline_pending p
 WHERE p.project_id = %(project)s AND p.first_number IS NOT NULL LIMIT %(most)s
""")
_WAITING = """
SELECT least((SELECT min(at) FROM timeline_pending),
             (SELECT min(at) FROM audit_outbox)) AS since
"""


@dataclass(frozen=True, slots=True)
class Lag:
    """What waits to be projected: how many rows, and since when the oldest does.

    With more than `COUNTED` rows there are as many or more, and `oldest` is some
    seconds old. None: nothing waits.
    """

    rows: int
    oldest: datetime | None

    @property
    def is_long(self) -> bool:
        return self.rows > COUNTED

    def seconds(self, now: datetime) -> float:
        """Return for how long the oldest row has waited."""
        return 0.0 if self.oldest is None else (now - self.oldest).total_seconds()


def measure_lag() -> Lag:
    """Ask how far the projector is behind."""
    counted = sql.records(Lag, _COUNTED, {"most": COUNTED + 1})[0]
    if not counted.is_long:
        return counted
    return Lag(counted.rows, _oldest.get() or counted.oldest)


def waiting_since() -> datetime | None:
    """Return since when the oldest event waits to be fed; None: all are fed."""
    found: datetime | None = sql.rows(_WAITING, {})[0].since
    return found


def waiting_versions(project_id: str) -> dict[str, int]:
    """Return how many versions wait to be projected of each session, if any does.

    Of more appends than `COUNTED` so many are counted.
    """
    found: dict[str, int] = {}
    asked = {"project": project_id, "most": COUNTED}
    for row in sql.rows(_VERSIONS, asked):
        count = row.number - row.first_number + 1
        found[row.session_id] = found.get(row.session_id, 0) + count
    return found


def _ask_oldest() -> datetime | None:
    found: datetime | None = sql.rows(_OLDEST, {})[0].oldest
    return found


_oldest: Fresh[datetime | None] = Fresh(_ask_oldest, seconds=OLDEST_SECONDS)
