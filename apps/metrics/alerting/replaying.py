"""How often a rule would have fired: its value at every full hour of two weeks.

Windows that slide over hours are sums, in which nobody is counted twice: a session that
had something in an hour, and had it last so many hours before, adds to those windows
that hold the hour and not the earlier one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Any

from apps.metrics import ranges
from apps.metrics.alerting.looks import WEEKS, Looks, Seen, latency_of, seen_in, unlike
from apps.metrics.alerting.spreading import MOST_FOLLOWING
from apps.metrics.alerting.states import fires, state_of
from apps.metrics.comparison import releases_of
from apps.metrics.facts import HOUR, hour_of
from apps.metrics.figures import OF_SESSIONS, Figures, Group
from apps.metrics.models import AlertState, Each, Metric, Rule
from apps.metrics.range_query import Reading
from apps.metrics.ranges import Range
from apps.metrics.ranking import FINE

DAYS = 14
LOOKS = DAYS * 24
WEEK_HOURS = 7 * 24
# What counts acts, by its field of the figures; all else counts sessions.
ACTS = {"tool": "tool_calls", "tool_failed": "tool_errors", FINE: "timed"}
BY_RELEASE = {"release": "active", "release_rolled_back": "rolled_back"}
NOT_IN_ALL_HOURS = (Metric.LATENCY, Metric.ESCALATION, Metric.FLAGGED)


@dataclass(frozen=True, kw_only=True, slots=True)
class Replay:
    """What a rule says now, and what it would have said."""

    now: Seen
    # How often it would have fired and for how many hours; None: nobody knows.
    fired: int | None = None
    hours: int = 0
    # At how many hours there was enough to say something.
    looked: int = 0


@dataclass
class _Windows:
    """Counts of windows by the hour at which each ends, of one agent or release."""

    n_hours: int
    steps: dict[str, list[int]] = field(default_factory=dict)
    classes: dict[str, list[int]] = field(default_factory=dict)

    def add(self, name: str, first: int, last: int, count: int) -> None:
        """Count something in the windows that end from one hour to another."""
        self._add(self.steps, name, first, last, count)

    def add_class(self, value: str, first: int, last: int, count: int) -> None:
        self._add(self.classes, value, first, last, count)

    def _add(
        self, into: dict[str, list[int]], name: str, first: int, last: int, n: int
    ) -> None:
        if first >= self.n_hours:
            return
        steps = into.setdefault(name, [0] * (self.n_hours + 1))
        steps[first] += n
        steps[min(last + 1, self.n_hours)] -= n

    def figures(self) -> list[Figures]:
        """Return the figures of every window."""
        sums = {name: list(accumulate(steps)) for name, steps in self.steps.items()}
        return [
            Figures(**{name: each[at] for name, each in sums.items()})
            for at in range(self.n_hours)
        ]

    def groups(self) -> list[list[Group]]:
        """Return the fine classes of latency of every window."""
        sums = {value: list(accumulate(one)) for value, one in self.classes.items()}
        return [
            [Group("", FINE, value, 0, each[at]) for value, each in sums.items()]
            for at in range(self.n_hours)
        ]


def replay(rule: Rule, looks: Looks) -> Replay:
    """Return what a rule says, and how often it would have fired in two weeks.

    A rule for each agent or release says what the worst of them does.
    """
    if rule.metric == Metric.WORKER_LAG:
        return Replay(now=looks.seen(rule))
    found = _windows(rule, looks.now)
    if found is None:
        return Replay(now=_now(rule, looks))
    fired = hours = looked = 0
    for windows in found:
        for is_new, is_firing, says in _steps(rule, windows, looks.now):
            fired += is_new
            hours += is_firing
            looked += says
    return Replay(now=_now(rule, looks), fired=fired, hours=hours, looked=looked)


def _now(rule: Rule, looks: Looks) -> Seen:
    if not rule.each:
        return looks.seen(rule)
    reading, worst = looks.reading(rule), Seen(None, 0)
    for agent_id in reading.by_agent():
        for release in _releases(rule, looks, agent_id):
            one = Rule(
                project_id=rule.project_id,
                agent_id=agent_id,
                release=release,
                metric=rule.metric,
                window=rule.window,
                minimum_sample=rule.minimum_sample,
            )
            seen = looks.seen(one)
            if seen.sample >= rule.minimum_sample:
                worst = max(worst, seen, key=lambda seen: seen.value or 0.0)
    return worst


def _releases(rule: Rule, looks: Looks, agent_id: str) -> list[str | None]:
    if rule.each == Each.AGENT:
        return [None]
    return [name for name in releases_of(looks.reading(rule)).get(agent_id, {}) if name]


def _steps(
    rule: Rule, windows: _Windows, now: datetime
) -> Iterator[tuple[bool, bool, bool]]:
    """Yield for each of the last hours: begins to fire, fires, had enough to say so."""
    one = Rule(
        threshold=rule.threshold,
        minimum_sample=rule.minimum_sample,
        # Nobody knows what was between two full hours.
        for_minutes=rule.for_minutes if rule.for_minutes >= 60 else 0,
        state=AlertState.OK,
    )
    at = hour_of(now) - LOOKS * HOUR
    for seen in _seen(rule, windows)[-LOOKS:]:
        at += HOUR
        before, one.value, one.sample = one.state, seen.value, seen.sample
        one.state = state_of(one, at)
        if one.state != before:
            one.since = at
        is_firing = fires(one)
        is_new = is_firing and before != AlertState.FIRING
        yield is_new, is_firing, seen.sample >= rule.minimum_sample


def _seen(rule: Rule, windows: _Windows) -> list[Seen]:
    figures = windows.figures()
    match rule.metric:
        case Metric.LATENCY:
            return list(map(latency_of, windows.groups(), figures))
        case Metric.UNLIKE_USUAL:
            return [
                unlike(
                    found,
                    sum(
                        (figures[at - ago * WEEK_HOURS] for ago in range(1, WEEKS + 1)),
                        Figures(),
                    ),
                    rule.minimum_sample,
                )
                for at, found in enumerate(figures)
                if at >= WEEKS * WEEK_HOURS
            ]
    return [seen_in(rule.metric, found) for found in figures]


def _windows(rule: Rule, now: datetime) -> list[_Windows] | None:
    """Return the windows of the rule's agents and releases; None: hours lack it."""
    length = ranges.WINDOWS[rule.window] // HOUR
    earlier = WEEKS * WEEK_HOURS if rule.metric == Metric.UNLIKE_USUAL else 0
    n_hours = LOOKS + length + earlier
    end = hour_of(now)
    start = end - n_hours * HOUR
    agents = None if rule.agent_id is None else [rule.agent_id]
    reading = Reading(rule.project_id, Range(start=start, end=end), agents)
    if rule.metric in NOT_IN_ALL_HOURS and reading.sums().uncounted:
        return None
    by_release = bool(rule.release or rule.each == Each.RELEASE)
    found: dict[tuple[str, str], _Windows] = defaultdict(lambda: _Windows(n_hours))
    for row in reading.history(
        *_measures(rule, by_release=by_release), hours=length, by_agent=bool(rule.each)
    ):
        value = row.value if by_release else ""
        if by_release and (not value or rule.release not in (None, value)):
            continue
        at = (row.hour - start) // timedelta(hours=1)
        _count(found[row.agent_id, value], row, at, length)
    busiest = sorted(found.values(), key=lambda one: -_size(one))
    return busiest[:MOST_FOLLOWING] or [_Windows(n_hours)]


def _measures(rule: Rule, *, by_release: bool) -> list[str]:
    if by_release:
        return list(BY_RELEASE)
    match rule.metric:
        case Metric.TOOL_ERRORS:
            return ["tool", "tool_failed"]
        case Metric.LATENCY:
            return [FINE]
        case Metric.ESCALATION:
            return ["active", "escalated"]
        case Metric.FLAGGED:
            return ["active", "flagged"]
    return ["active", "rolled_back"]


def _count(windows: _Windows, row: Any, at: int, length: int) -> None:
    """Count an hour's row in all windows that hold it."""
    last = at + length - 1
    if row.measure in ACTS:
        windows.add(ACTS[row.measure], at, last, row.acts)
        if row.measure == FINE:
            windows.add_class(row.value, at, last, row.acts)
        return
    of = BY_RELEASE.get(row.measure, row.measure)
    # It had it before, in a window that holds both hours: there it is counted already.
    first = max(at, at - row.gap + length) if row.gap else at
    windows.add(OF_SESSIONS[of], first, last, row.sessions)
    if of == "rolled_back":
        windows.add("rollbacks", at, last, row.acts)


def _size(windows: _Windows) -> int:
    return sum(max(one, 0) for steps in windows.steps.values() for one in steps)
