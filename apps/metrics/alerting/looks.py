"""What the numbers say at one moment, to all rules that ask."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.metrics import ranges
from apps.metrics.comparison import releases_of
from apps.metrics.figures import Figures, Group, deviations
from apps.metrics.models import Metric, Rule
from apps.metrics.range_query import Reading
from apps.metrics.ranges import Range
from apps.metrics.ranking import FINE, latency_within
from apps.timeline import projection

WEEK = timedelta(days=7)
WEEKS = 4
SLOW = 0.95


@dataclass(frozen=True, slots=True)
class Seen:
    """The value that a rule is about, and of how many sessions, calls or turns."""

    value: float | None
    sample: int


class Looks:
    """What the numbers say at one moment: rules that ask for the same share a look.

    The hour that is still open is counted for each look, the longer the busier it is;
    a project's rules differ in thresholds, agents and releases, and one reading of all
    agents answers them.
    """

    def __init__(self, now: datetime) -> None:
        self.now = now
        self._readings: dict[tuple[str, Range], Reading] = {}

    def reading(self, rule: Rule, *, weeks_ago: int = 0) -> Reading:
        """Return the numbers of the rule's project in its window, or weeks before."""
        found = ranges.window(rule.window, now=self.now)
        if weeks_ago:
            ago = weeks_ago * WEEK
            found = Range(start=found.start - ago, end=found.end - ago)
        asked = rule.project_id, found
        if asked not in self._readings:
            self._readings[asked] = Reading(rule.project_id, found)
        return self._readings[asked]

    def seen(self, rule: Rule) -> Seen:
        """Return the value of the rule's metric now, and its sample."""
        match Metric(rule.metric):
            case Metric.WORKER_LAG:
                return Seen(max(projection.measure_lag().seconds(self.now), 0.0), 1)
            case Metric.UNLIKE_USUAL:
                return self._unlike_usual(rule)
            case Metric.LATENCY:
                found = figures_of(self.reading(rule), rule)
                return latency_of(self._groups(rule), found)
        return seen_in(rule.metric, figures_of(self.reading(rule), rule))

    def _groups(self, rule: Rule) -> list[Group]:
        groups = self.reading(rule).groups(FINE)
        if rule.agent_id is None:
            return groups
        return [group for group in groups if group.agent_id == rule.agent_id]

    def _unlike_usual(self, rule: Rule) -> Seen:
        now = figures_of(self.reading(rule), rule)
        weeks = (
            figures_of(self.reading(rule, weeks_ago=ago), rule)
            for ago in range(1, WEEKS + 1)
        )
        return unlike(now, sum(weeks, Figures()), rule.minimum_sample)


def figures_of(reading: Reading, rule: Rule) -> Figures:
    """Return what was counted of the rule's agent and release, or of all."""
    if rule.release is not None and rule.agent_id is not None:
        mine = releases_of(reading).get(rule.agent_id, {})
        return mine.get(rule.release, Figures())
    by_agent: Mapping[str, Figures] = reading.by_agent()
    if rule.agent_id is not None:
        return by_agent.get(rule.agent_id, Figures())
    return sum(by_agent.values(), Figures())


def seen_in(metric: str, found: Figures) -> Seen:
    """Return the value and the sample of a metric that follows from counts alone."""
    match Metric(metric):
        case Metric.ROLLBACK_RATE:
            return Seen(found.rate, found.sessions)
        case Metric.ROLLBACKS_PER_SESSION:
            return Seen(found.per_session, found.sessions)
        case Metric.TOOL_ERRORS:
            return Seen(found.tool_error_rate, found.tool_calls)
        case Metric.ESCALATION:
            return Seen(found.escalation_rate, found.sessions)
        case Metric.FLAGGED:
            return Seen(found.flagged_rate, found.sessions)
    raise ValueError(f"{metric} does not follow from counts alone")


def latency_of(groups: Iterable[Group], found: Figures) -> Seen:
    """Return what 95 % of turns took at most, in seconds."""
    slow = None if found.uncounted else latency_within(groups, SLOW)
    return Seen(None if slow is None else slow / 1000, found.timed)


def unlike(now: Figures, usual: Figures, minimum: int) -> Seen:
    """Return how far a rate lies above the usual one, in deviations of chance.

    No value where the weeks before have fewer sessions than the rule's sample.
    """
    if not now.sessions or usual.sessions < max(minimum, 1):
        return Seen(None, now.sessions)
    return Seen(deviations(now, usual), now.sessions)
