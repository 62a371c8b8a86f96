"""Whether the rollback rate moved between two times, and which agent moved it.

A rate of few sessions moves by chance: nothing is said of fewer than the usual sample,
nor of a difference that two samples of one rate would show as often as one time in
twenty. The cause is what has at least half of the sessions rolled back beyond those
that an agent's rate before let expect; where nothing has, none is named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from apps.metrics.figures import MINIMUM_SAMPLE, Figures, deviations
from apps.metrics.range_query import Reading

# Of a normal distribution 95 % lie within so many standard deviations.
BEYOND_CHANCE = 1.96
LEAST_SHARE = 0.5


class Direction(StrEnum):
    """What can be said of a rate beside the one before."""

    NOTHING = "nothing"  # no session was active
    FEW = "few"  # too few sessions now
    UNCOMPARED = "uncompared"  # too few before
    RISEN = "risen"
    FALLEN = "fallen"
    STEADY = "steady"  # no further apart than by chance


@dataclass(frozen=True, slots=True)
class Cause:
    """The agent that moved the rate, and its release if one alone did."""

    agent_id: str
    release: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Trend:
    """A rate beside the one before."""

    direction: Direction
    now: Figures
    before: Figures
    cause: Cause | None = None

    @property
    def factor(self) -> float | None:
        """How many times the rate before; none where that was nothing."""
        if self.now.rate is None or not self.before.rate:
            return None
        return self.now.rate / self.before.rate


def trend_of(reading: Reading, earlier: Reading | None) -> Trend:
    """Return how the rate of one reading stands to that of another, and why."""
    by_agent = reading.by_agent()
    of_before = earlier.by_agent() if earlier else {}
    now = sum(by_agent.values(), Figures())
    before = sum(of_before.values(), Figures())
    direction = direction_of(now, before)
    cause = None
    if direction in (Direction.RISEN, Direction.FALLEN):
        sign = 1 if direction is Direction.RISEN else -1
        cause = _cause(reading, earlier, sign)
    return Trend(direction=direction, now=now, before=before, cause=cause)


def direction_of(now: Figures, before: Figures) -> Direction:
    """Return what can be said of two rates."""
    if not now.sessions:
        return Direction.NOTHING
    if now.sessions < MINIMUM_SAMPLE:
        return Direction.FEW
    if before.sessions < MINIMUM_SAMPLE:
        return Direction.UNCOMPARED
    moved = deviations(now, before)
    if abs(moved) < BEYOND_CHANCE:
        return Direction.STEADY
    return Direction.RISEN if moved > 0 else Direction.FALLEN


def _cause(reading: Reading, earlier: Reading | None, sign: int) -> Cause | None:
    """Return what has most of the sessions beyond those expected, or below them."""
    by_agent = reading.by_agent()
    of_before = earlier.by_agent() if earlier else {}
    usual = sum(of_before.values(), Figures()).rate or 0.0
    expected = {
        agent_id: _rate(of_before.get(agent_id, Figures()), usual)
        for agent_id in by_agent
    }
    beyond = {
        agent_id: sign * _beyond(found, expected[agent_id])
        for agent_id, found in by_agent.items()
    }
    total = sum(max(one, 0.0) for one in beyond.values())
    agent_id = max(sorted(beyond), key=beyond.__getitem__)
    if total <= 0 or beyond[agent_id] < LEAST_SHARE * total:
        return None
    releases = releases_of(reading).get(agent_id, {})
    known = releases_of(earlier).get(agent_id, {}) if earlier else {}
    if set(releases) <= set(known) and len(releases) < 2:
        # There was no other release, before nor now.
        return Cause(agent_id)
    apart = {
        name: sign * _beyond(one, expected[agent_id]) for name, one in releases.items()
    }
    return Cause(agent_id, _most(apart, beyond[agent_id]))


def _rate(found: Figures, usual: float) -> float:
    """Return what to expect; of few sessions that is what is usual in the project."""
    if found.rate is None or found.sessions < MINIMUM_SAMPLE:
        return usual
    return found.rate


def _most(apart: Mapping[str, float], total: float) -> str | None:
    """Return the name that alone has at least half; what was not told has none."""
    name = max(sorted(apart), key=apart.__getitem__, default="")
    return name if name and apart[name] >= LEAST_SHARE * total else None


def releases_of(reading: Reading) -> dict[str, dict[str, Figures]]:
    """Return the rates by agent and release; the empty text is what was not told."""
    found: dict[str, dict[str, Figures]] = defaultdict(lambda: defaultdict(Figures))
    for group in reading.groups("release", "release_rolled_back"):
        found[group.agent_id][group.value] += (
            Figures(sessions=group.sessions)
            if group.measure == "release"
            else Figures(rolled_back=group.sessions, rollbacks=group.acts)
        )
    return {agent_id: dict(mine) for agent_id, mine in found.items()}


def _beyond(found: Figures, expected: float) -> float:
    return found.rolled_back - expected * found.sessions
