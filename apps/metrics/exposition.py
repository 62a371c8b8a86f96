"""What Prometheus is told of metrics and alerts: gauges of windows up to now.

The number of series is bounded: so many projects, of each the agents with the most
sessions, all others together; never a session, a release or a rule's name.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

from apps.accounts.models import Project
from apps.agents.models import Agent
from apps.core.monitoring.exposition import Family
from apps.metrics import ranges
from apps.metrics.figures import Figures
from apps.metrics.models import AlertState, Rule
from apps.metrics.range_query import Reading
from apps.metrics.spending import Used, spent

WINDOWS = ("1h", "24h", "7d")
MOST_PROJECTS = 100
MOST_AGENTS = 20
OTHER = "other"
LABELS = ("project", "agent", "window")
GAUGES: Mapping[str, tuple[str, Callable[[Figures], float | None]]] = {
    "sessions_active": (
        "Sessions with a version or turn in the window.",
        lambda found: found.sessions,
    ),
    "sessions_rolled_back": (
        "Of the active sessions, those with a rollback.",
        lambda found: found.rolled_back,
    ),
    "rollback_ratio": (
        "Sessions rolled back of those active; none where none is active.",
        lambda found: found.rate,
    ),
    "rollbacks": ("Rollbacks.", lambda found: found.rollbacks),
    "versions": ("Versions.", lambda found: found.versions),
    "turns": ("Turns.", lambda found: found.turns),
    "forks": ("Forks.", lambda found: found.forks),
    "tool_calls": ("Tool calls that turns told of.", lambda found: found.tool_calls),
    "tool_call_errors": ("Of those, failed ones.", lambda found: found.tool_errors),
    "turn_latency_mean_seconds": (
        "How long turns took, of those that said so; none where none did.",
        lambda found: _seconds(found.mean_latency_ms),
    ),
}


def families(now: datetime) -> Iterator[Family]:
    """Yield the numbers of the projects and where their alert rules stand."""
    projects = list(Project.objects.order_by("slug")[:MOST_PROJECTS])
    yield from _figures(projects, now)
    yield _rules(projects)


def _figures(projects: list[Project], now: datetime) -> list[Family]:
    told = {
        name: Family(f"stepback_{name}", help, LABELS)
        for name, (help, _) in GAUGES.items()
    }
    used = (
        Family(
            "stepback_turn_tokens",
            "Tokens that turns said they used; of the others nothing is known.",
            (*LABELS, "kind"),
        ),
        Family(
            "stepback_turn_cost",
            "What turns said they cost, or a price list filled in.",
            (*LABELS, "currency"),
        ),
    )
    for project in projects:
        for window in WINDOWS:
            wanted = ranges.window(window, now=now)
            reading = Reading(project.id, wanted)
            found = reading.by_agent()
            _use(reading, found, used, (project.slug, window))
            for agent, figures in _named(found).items():
                for name, (_, value_of) in GAUGES.items():
                    value = value_of(figures)
                    if value is not None:
                        told[name].add(value, project.slug, agent, window)
    return [*told.values(), *used]


def _use(
    reading: Reading,
    found: Mapping[str, Figures],
    used: Sequence[Family],
    place: tuple[str, str],
) -> None:
    """Tell what turns said they used, of the agents that have a name here."""
    tokens, costs = used
    project, window = place
    names = _names(found)
    by_name: dict[str, Used] = defaultdict(Used)
    for agent_id, one in spent(reading).by.items():
        by_name[names.get(agent_id, OTHER)].join(one)
    for agent, one in by_name.items():
        tokens.add(one.input_tokens, project, agent, window, "input")
        tokens.add(one.output_tokens, project, agent, window, "output")
        for currency, cost in one.costs.items():
            costs.add(float(cost), project, agent, window, currency)


def _names(found: Mapping[str, Figures]) -> dict[str, str]:
    """Return the names of the busiest agents."""
    busiest = sorted(found, key=lambda one: (-found[one].sessions, one))[:MOST_AGENTS]
    return dict(Agent.objects.filter(id__in=busiest).values_list("id", "external_id"))


def _named(found: Mapping[str, Figures]) -> dict[str, Figures]:
    """Return the busiest agents by their names, and the others as one."""
    names = _names(found)
    named: dict[str, Figures] = defaultdict(Figures)
    for agent_id, figures in found.items():
        named[names.get(agent_id, OTHER)] += figures
    return dict(named)


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000


def _rules(projects: list[Project]) -> Family:
    told = Family(
        "stepback_alert_rules", "Alert rules by their state.", ("project", "state")
    )
    ids = [project.id for project in projects]
    rules = Rule.objects.filter(project_id__in=ids, is_active=True)
    counts = Counter(rules.values_list("project_id", "state"))
    for project in projects:
        for state in AlertState:
            told.add(counts[project.id, state.value], project.slug, state.value)
    return told
