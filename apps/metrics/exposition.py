"""What Prometheus is told of metrics and alerts: gauges of windows up to now.

The number of series is bounded: so many projects, of each the agents with the most
sessions, all others together; never a session, a release or a rule's name.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

from apps.accounts.models import Project
from apps.agents.models import Agent
from apps.core.monitoring.exposition import Family
from apps.metrics import ranges
from apps.metrics.figures import Figures
from apps.metrics.models import AlertState, Rule
from apps.metrics.range_query import Reading

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
    for project in projects:
        for window in WINDOWS:
            wanted = ranges.window(window, now=now)
            found = Reading(project.id, wanted).by_agent()
            for agent, figures in _named(found).items():
                for name, (_, value_of) in GAUGES.items():
                    value = value_of(figures)
                    if value is not None:
                        told[name].add(value, project.slug, agent, window)
    return list(told.values())


def _named(found: Mapping[str, Figures]) -> dict[str, Figures]:
    """Return the busiest agents by their names, and the others as one."""
    busiest = sorted(found, key=lambda one: (-found[one].sessions, one))[:MOST_AGENTS]
    names = dict(Agent.objects.filter(id__in=busiest).values_list("id", "external_id"))
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
