"""The first line of the page: is it getting worse, and because of what?"""

from __future__ import annotations

from collections.abc import Mapping

from apps.console.pages.metrics.charts import percent
from apps.diffs.text import shorten
from apps.metrics.comparison import Direction, Trend
from apps.metrics.figures import MINIMUM_SAMPLE
from apps.metrics.ranges import Range

BEFORE = {
    "1h": "the hour before",
    "24h": "the 24 hours before",
    "7d": "the 7 days before",
    "30d": "the 30 days before",
}
LONGEST_NAME = 60


def before_words(found: Range) -> str:
    """Name the time that this one is compared with."""
    return BEFORE.get(found.name or "", "as long a time before")


def answer(trend: Trend, names: Mapping[str, str], found: Range) -> str:
    """Say in one sentence how the rate moved, and what moved it most."""
    now, rate = trend.now, percent(trend.now.rate or 0)
    before, since = percent(trend.before.rate or 0), before_words(found)
    of_all = f"{now.rolled_back:,} of {now.sessions:,}"
    match trend.direction:
        case Direction.NOTHING:
            return "No session was active in this time"
        case Direction.FEW:
            return (
                f"Under {MINIMUM_SAMPLE} sessions say little: {of_all} were rolled back"
            )
        case Direction.UNCOMPARED:
            return (
                f"{rate} of the sessions were rolled back; {since} had too few to "
                "compare"
            )
        case Direction.STEADY:
            return f"The rollback rate is about as in {since}: {rate}, then {before}"
    return (
        f"The rollback rate has {_moved(trend)}, from {before} in {since} to {rate}, "
        f"{_cause(trend, names)}"
    )


def _moved(trend: Trend) -> str:
    factor = trend.factor
    if trend.direction is Direction.RISEN:
        return "more than doubled" if factor is not None and factor > 2 else "risen"
    return "more than halved" if factor is not None and factor < 0.5 else "fallen"


def _cause(trend: Trend, names: Mapping[str, str]) -> str:
    if trend.cause is None:
        return "and no agent alone accounts for most of it"
    agent = names.get(trend.cause.agent_id, trend.cause.agent_id)
    release = trend.cause.release
    named = f"{agent} {release}" if release else agent
    return f"most of it at {shorten(named, LONGEST_NAME)}"
