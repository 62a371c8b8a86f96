"""Alert rules as the pages show them: where each is, in words, and what it leads to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.accounts.models import Project
from apps.agents.models import Agent
from apps.console.pages.alerts.worst import release_path
from apps.core.outbound.links import path_to
from apps.metrics import alerting
from apps.metrics.alerting import measures
from apps.metrics.models import AlertState, Rule

# What is to be looked at comes first.
ORDER = ("firing", "pending", "silenced", "no data", "ok", "off")
# The bar of a value ends at this many times its threshold, where the tick stands.
BAR_ENDS = 2.0
BAR_WIDTH = 160


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A rule, where it is, and where its number comes from."""

    rule: Rule
    agent: str | None
    state: str
    is_silenced: bool
    is_quiet_hour: bool
    # When a rule that waits will fire, if its value stays.
    fires_at: datetime | None
    chart: str | None
    behind: str | None
    # The sessions of its release.
    of_release: str | None

    @property
    def about(self) -> measures.About:
        return measures.about(self.rule.metric)

    @property
    def whose(self) -> str:
        """Whom it looks at, in words."""
        names = [name for name in (self.agent, self.rule.release) if name]
        return " ".join(names) or {
            "agent": "each agent",
            "release": "each release",
        }.get(self.rule.each, "all agents" if self.about.has_agents else "the worker")

    @property
    def value(self) -> str:
        return measures.written(self.rule.metric, self.rule.value)

    @property
    def threshold(self) -> str:
        return measures.written_threshold(self.rule.metric, self.rule.threshold)

    @property
    def sample(self) -> str:
        return measures.written_sample(self.rule.metric, self.rule.sample)

    @property
    def least(self) -> str:
        return measures.written_sample(self.rule.metric, self.rule.minimum_sample)

    @property
    def says_little(self) -> bool:
        """Whether so few sessions are no reason to tell anybody."""
        seen = self.rule.evaluated_at is not None
        return seen and self.rule.sample < self.rule.minimum_sample

    @property
    def bar(self) -> int:
        """How long the bar of its value is, of `BAR_WIDTH`; the tick is half way."""
        share = (self.rule.value or 0) / self.rule.threshold / BAR_ENDS
        return round(min(max(share, 0), 1) * BAR_WIDTH)

    @property
    def quiet(self) -> str:
        """Its quiet hours, in words."""
        if self.rule.quiet_from is None:
            return ""
        times = map(alerting.time_of, (self.rule.quiet_from, self.rule.quiet_to))
        return f"{' to '.join(times)} ({self.rule.quiet_zone})"


def rows_of(project: Project, rules: Sequence[Rule], now: datetime) -> list[Row]:
    """Return rules as they are shown, those to be looked at first."""
    named = {rule.agent_id for rule in rules if rule.agent_id}
    agents = Agent.objects.of_project(project.id).filter(id__in=named)
    names = dict(agents.values_list("id", "external_id"))
    rows = [_row(project.slug, rule, names, now) for rule in rules]
    return sorted(rows, key=lambda row: (ORDER.index(row.state), row.rule.id))


def answer(rows: Sequence[Row], now: datetime) -> str:
    """Say in one line what fires, and for how long."""
    firing = [row for row in rows if row.state == "firing"]
    looked = [row for row in rows if row.state != "off"]
    if not looked:
        return "No rule looks at anything"
    of = f"of {len(looked):,} rule{'s' if len(looked) > 1 else ''}"
    if not firing:
        return f"None {of} is firing"
    worst = min(firing, key=lambda row: row.rule.since or now)
    since = now - (worst.rule.since or now)
    are = "is" if len(firing) == 1 else "are"
    return (
        f"{len(firing):,} {of} {are} firing: {worst.about.title} of {worst.whose}, "
        f"for {_lasting(since)}"
    )


def _row(slug: str, rule: Rule, names: Mapping[str, str], now: datetime) -> Row:
    at, until = rule.evaluated_at, rule.silenced_until
    about = measures.about(rule.metric)
    agent = names.get(rule.agent_id) if rule.agent_id else None
    is_silenced = until is not None and until > now
    seen = behind = None
    if at and about.has_agents:
        seen = path_to("metrics", slug, query=alerting.place(rule, at))
    if at and about.is_of_rollbacks and not rule.each:
        asked = alerting.list_place(rule, at)
        behind = path_to("metrics_rollbacks", slug, query=asked)
    return Row(
        rule=rule,
        agent=agent,
        state=_state(rule, is_silenced=is_silenced),
        is_silenced=is_silenced,
        is_quiet_hour=alerting.is_quiet_hour(rule, now),
        fires_at=_fires_at(rule),
        chart=seen,
        behind=behind,
        of_release=release_path(slug, agent, rule.release) if rule.release else None,
    )


def _state(rule: Rule, *, is_silenced: bool) -> str:
    """Return where a rule is, as one of `ORDER`; silence hides what it does."""
    if not rule.is_active:
        return "off"
    if is_silenced:
        return "silenced"
    if rule.state in (AlertState.FIRING, AlertState.PENDING):
        return str(rule.state)
    is_known = rule.value is not None and rule.sample >= rule.minimum_sample
    return "ok" if is_known else "no data"


def _fires_at(rule: Rule) -> datetime | None:
    if rule.state != AlertState.PENDING or rule.since is None:
        return None
    at: datetime = rule.since + timedelta(minutes=rule.for_minutes)
    return at


def _lasting(since: timedelta) -> str:
    """Write how long something has lasted, in its largest unit."""
    seconds = max(int(since.total_seconds()), 0)
    for size, name in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size:,} {name}"
    return f"{seconds} s"
