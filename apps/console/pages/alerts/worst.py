"""Which agent and which release have most of what a rule of many looks at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from apps.agents.models import Agent
from apps.core.outbound.links import path_to
from apps.metrics.alerting import measures
from apps.metrics.alerting.looks import Looks, Seen, latency_of, seen_in
from apps.metrics.comparison import releases_of
from apps.metrics.models import Metric, Rule
from apps.metrics.range_query import Reading
from apps.metrics.ranking import FINE
from apps.timeline.search import AgentIs, Field, VersionSays, write_clause


class Named(NamedTuple):
    """An agent by our id, a release of it where one is meant, and its value."""

    agent_id: str
    release: str
    seen: Seen


@dataclass(frozen=True, kw_only=True, slots=True)
class Worst:
    """One agent or release with its value, and where to look at it."""

    is_release: bool
    name: str
    value: str
    sample: str
    # Whether so few sessions, calls or turns are no reason to tell anybody.
    says_little: bool
    url: str


def worst_of(rule: Rule, slug: str) -> list[Worst]:
    """Return the worst agent and the worst release behind a rule's value.

    At the moment at which the rule was looked at, in its window. A rule of one agent
    is asked for that agent's releases, one of a release or of each for nothing.
    """
    if rule.each or rule.release is not None or rule.evaluated_at is None:
        return []
    if not measures.about(rule.metric).has_agents:
        return []
    reading = Looks(rule.evaluated_at).reading(rule)
    found = [] if rule.agent_id else [_first(rule, _agents(rule, reading))]
    if measures.about(rule.metric).is_of_rollbacks:
        found.append(_first(rule, _releases(rule, reading)))
    return _shown(rule, slug, [one for one in found if one is not None])


def release_path(slug: str, agent: str | None, release: str) -> str:
    """Return where the sessions of a release are, of one agent if it is of one."""
    terms = [AgentIs(text="", name=agent)] if agent else []
    said = VersionSays(text="", field=Field.RELEASE, value=release)
    query = " ".join(map(write_clause, [*terms, said]))
    return path_to("sessions", slug, query={"q": query})


def _agents(rule: Rule, reading: Reading) -> Iterable[Named]:
    metric = _comparable(rule)
    fine = reading.groups(FINE) if metric == Metric.LATENCY else []
    for agent_id, figures in reading.by_agent().items():
        if metric == Metric.LATENCY:
            mine = [group for group in fine if group.agent_id == agent_id]
            yield Named(agent_id, "", latency_of(mine, figures))
        else:
            yield Named(agent_id, "", seen_in(metric, figures))


def _releases(rule: Rule, reading: Reading) -> Iterable[Named]:
    for agent_id, of_agent in releases_of(reading).items():
        if rule.agent_id in (None, agent_id):
            for release, figures in of_agent.items():
                if release:
                    seen = seen_in(_comparable(rule), figures)
                    yield Named(agent_id, release, seen)


def _comparable(rule: Rule) -> Metric:
    """Return by what agents are told apart: "unlike usual" is a rate beside itself."""
    metric = Metric(rule.metric)
    return Metric.ROLLBACK_RATE if metric == Metric.UNLIKE_USUAL else metric


def _first(rule: Rule, found: Iterable[Named]) -> Named | None:
    """Return the one of the highest value; those of few come last, of nothing never."""

    def place(one: Named) -> tuple[bool, float, int, str, str]:
        is_small = one.seen.sample < rule.minimum_sample
        value = one.seen.value or 0.0
        return is_small, -value, -one.seen.sample, one.agent_id, one.release

    return min((one for one in found if one.seen.value), key=place, default=None)


def _shown(rule: Rule, slug: str, found: list[Named]) -> list[Worst]:
    mine = Agent.objects.of_project(rule.project_id)
    ids = {one.agent_id for one in found}
    names = dict(mine.filter(id__in=ids).values_list("id", "external_id"))
    metric = _comparable(rule)
    return [
        Worst(
            is_release=bool(one.release),
            name=f"{names.get(one.agent_id, '')} {one.release}".strip(),
            value=measures.written(metric, one.seen.value),
            sample=measures.written_sample(metric, one.seen.sample),
            says_little=one.seen.sample < rule.minimum_sample,
            url=release_path(slug, names.get(one.agent_id), one.release)
            if one.release
            else path_to("agent_detail", slug, one.agent_id),
        )
        for one in found
    ]
