"""The numbers as values: what is counted, and the rates that follow.

The thresholds are the guide's: up to 2 % is healthy, from 5 % on people are warned,
from 10 % on it is critical. A rate always goes with the number of sessions behind it;
of few sessions it is told, and alarms nobody.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from math import sqrt
from typing import Any

WATCH, WARNING, CRITICAL = 0.02, 0.05, 0.10
# Below so many sessions one more rollback moves the rate by 5 points or more.
MINIMUM_SAMPLE = 20

# What is counted of sessions, by its measure: of no stretch of hours a sum of theirs.
OF_SESSIONS = {
    "active": "sessions",
    "rolled_back": "rolled_back",
    "closed": "closed",
    "escalated": "escalated",
    "flagged": "flagged",
}


class Band(StrEnum):
    """What a rollback rate means."""

    HEALTHY = "healthy"
    WATCH = "watch"  # from 2 %
    WARNING = "warning"  # from 5 %
    CRITICAL = "critical"  # from 10 %
    UNKNOWN = "unknown"  # too few sessions to say


def band(rolled_back: int, sessions: int, minimum: int = MINIMUM_SAMPLE) -> Band:
    """Return what so many of so many mean."""
    if sessions < max(minimum, 1):
        return Band.UNKNOWN
    rate = rolled_back / sessions
    if rate >= CRITICAL:
        return Band.CRITICAL
    if rate >= WARNING:
        return Band.WARNING
    return Band.WATCH if rate >= WATCH else Band.HEALTHY


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts of a range; those of several agents can be added up.

    A session belongs to one agent, so sums count no session twice.
    """

    sessions: int = 0
    rolled_back: int = 0
    began: int = 0
    versions: int = 0
    turns: int = 0
    rollbacks: int = 0
    undos: int = 0
    repeats: int = 0
    forks: int = 0
    aside: int = 0
    waited: float = 0.0
    stored: int = 0
    tool_calls: int = 0
    tool_errors: int = 0
    timed: int = 0
    latency_ms: int = 0
    latency_max: int = 0
    # Hours of agents that were added up before the following were counted.
    uncounted: int = 0
    closed: int = 0
    escalated: int = 0
    flagged: int = 0

    @classmethod
    def of_sums(cls, row: Any) -> Figures:
        names = set(cls.__dataclass_fields__) - {*OF_SESSIONS.values(), "uncounted"}
        # What is counted from the facts themselves lacks nothing.
        return cls(
            **{name: getattr(row, name) for name in names},
            uncounted=getattr(row, "uncounted", 0),
        )

    def __add__(self, other: Figures) -> Figures:
        names = [name for name in self.__dataclass_fields__ if name != "latency_max"]
        return Figures(
            **{name: getattr(self, name) + getattr(other, name) for name in names},
            latency_max=max(self.latency_max, other.latency_max),
        )

    @property
    def rate(self) -> float | None:
        """Sessions rolled back, of those active: never more than all."""
        return self.rolled_back / self.sessions if self.sessions else None

    def points_from(self, before: Figures) -> float | None:
        """How many percentage points the rate moved; None where one has no rate."""
        if self.rate is None or before.rate is None:
            return None
        return (self.rate - before.rate) * 100

    @property
    def per_session(self) -> float | None:
        """Rollbacks by session, as the guide has it: a session may count twice."""
        return self.rollbacks / self.sessions if self.sessions else None

    @property
    def band(self) -> Band:
        return band(self.rolled_back, self.sessions)

    @property
    def mean_depth(self) -> float | None:
        """How many versions a rollback set aside."""
        return self.aside / self.rollbacks if self.rollbacks else None

    @property
    def mean_seconds(self) -> float | None:
        """How long from the first version that went wrong to the rollback."""
        return self.waited / self.rollbacks if self.rollbacks else None

    @property
    def tool_error_rate(self) -> float | None:
        """Calls that failed, of all that turns told of."""
        return self.tool_errors / self.tool_calls if self.tool_calls else None

    @property
    def mean_latency_ms(self) -> float | None:
        """How long a turn took, of those that said so."""
        return self.latency_ms / self.timed if self.timed else None

    @property
    def longest_latency_ms(self) -> int | None:
        """How long the slowest turn took; none where not every hour counted it."""
        return self.latency_max if self.timed and not self.uncounted else None

    @property
    def completion_rate(self) -> float | None:
        """Sessions closed, of those active; none where not every hour counted it."""
        return self._of_sessions(self.closed)

    @property
    def escalation_rate(self) -> float | None:
        """Sessions in which the agent asked for a human, as `completion_rate`."""
        return self._of_sessions(self.escalated)

    @property
    def flagged_rate(self) -> float | None:
        """Sessions in which a version of an agent looks wrong."""
        return self._of_sessions(self.flagged)

    def _of_sessions(self, count: int) -> float | None:
        return count / self.sessions if self.sessions and not self.uncounted else None

    @property
    def versions_per_session(self) -> float | None:
        return self.versions / self.sessions if self.sessions else None

    @property
    def turns_per_session(self) -> float | None:
        return self.turns / self.sessions if self.sessions else None


def deviations(now: Figures, before: Figures) -> float:
    """Return how far one rate lies above another, in standard deviations of chance.

    Two proportions, pooled; both have sessions.
    """
    n, m = now.sessions, before.sessions
    pooled = (now.rolled_back + before.rolled_back) / (n + m)
    spread = sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    return (now.rolled_back / n - before.rolled_back / m) / spread if spread else 0.0


@dataclass(frozen=True, slots=True)
class Group:
    """What has one value of one measure: its sessions, and the acts in them."""

    agent_id: str
    measure: str
    value: str
    sessions: int
    acts: int
    # The first hour of the range that has it.
    first: datetime | None = None

    def as_figures(self) -> Figures:
        return Figures(**{OF_SESSIONS[self.measure]: self.sessions})


@dataclass(frozen=True, slots=True)
class Point:
    """An hour or a day of one agent."""

    agent_id: str
    start: datetime
    sessions: int = 0
    rolled_back: int = 0
    rollbacks: int = 0

    def with_measure(self, measure: str, sessions: int, acts: int) -> Point:
        if measure == "active":
            return replace(self, sessions=sessions)
        return replace(self, rolled_back=sessions, rollbacks=acts)
