"""What Prometheus is told of agents' data: how much, and what policies made of writes.

As with metrics of sessions the number of series is bounded: so many projects, of each
the agents that are largest, all others together; of a block the policy, never a key.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from apps.accounts.models import Project
from apps.agents.models import Agent
from apps.audit.actions import Action
from apps.core import sql
from apps.core.ids import first_id
from apps.core.monitoring.exposition import Family
from apps.data.browsing.figures import writes_since
from apps.timeline.operations import Document

WINDOWS = {
    "1h": timedelta(hours=1),
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
}
MOST_PROJECTS = 100
MOST_AGENTS = 20
# The largest documents of the installation are looked at, and of each project its
# newest blocks: more are told as so many.
MOST_DOCUMENTS = 10_000
MOST_BLOCKS = 5_000
OTHER = "other"

_KEPT = sql.across("""
SELECT s.id AS session_id, s.project_id, s.agent_id, s.head_number, t.keys, t.bytes
  FROM timeline_tally t
  JOIN timeline_session s ON s.id = t.session_id
 WHERE s.project_id = ANY(%(projects)s::varchar[])
 ORDER BY t.bytes DESC LIMIT %(most)s
""")
_BLOCKED = sql.across("""
SELECT e.id, e.resource_id AS agent_id, e.details ->> 'rule' AS rule
  FROM audit_event e
 WHERE e.project_id = %(project)s::varchar AND e.action = %(action)s::varchar
   AND e.id >= %(first)s::varchar
 ORDER BY e.id DESC LIMIT %(most)s
""")


def families(now: datetime) -> Iterator[Family]:
    """Yield keys, bytes and changes by agent, and blocked writes by policy."""
    projects = list(Project.objects.order_by("slug")[:MOST_PROJECTS])
    yield from _kept(projects, now)
    yield _blocked(projects, now)


def _kept(projects: Sequence[Project], now: datetime) -> Sequence[Family]:
    labels = ("project", "agent")
    keys = Family("stepback_data_keys", "Keys of agents' data.", labels)
    size = Family("stepback_data_bytes", "Bytes of the values under them.", labels)
    allowed = Family(
        "stepback_data_allowed",
        "Changes of an agent's data and config that were allowed in the window.",
        (*labels, "window"),
    )
    found = _documents(projects)
    since = {name: now - length for name, length in WINDOWS.items()}
    for project in projects:
        mine = found[project.id]
        names = _names({one.agent_id: one.bytes for one in mine})
        sums: dict[str, Counter[str]] = defaultdict(Counter)
        for one in mine:
            agent = names.get(one.agent_id, OTHER)
            sums[agent].update(keys=one.keys, bytes=one.bytes)
            if one.agent_id in names:
                for window, count in writes_since(one, one.agent_id, since).items():
                    allowed.add(count, project.slug, agent, window)
        for agent, told in sums.items():
            keys.add(told["keys"], project.slug, agent)
            size.add(told["bytes"], project.slug, agent)
    return keys, size, allowed


def _documents(projects: Sequence[Project]) -> Mapping[str, Sequence[Any]]:
    """Return the documents of agents' data by their project."""
    by_id = {project.id: project for project in projects}
    found: dict[str, list[Any]] = {project_id: [] for project_id in by_id}
    for row in sql.rows(_KEPT, {"projects": list(by_id), "most": MOST_DOCUMENTS}):
        # Other apps keep documents as well.
        own = Document.of_agent(by_id[row.project_id], row.agent_id)
        if row.session_id == own.id:
            found[row.project_id].append(row)
    return found


def _blocked(projects: Sequence[Project], now: datetime) -> Family:
    told = Family(
        "stepback_data_blocked",
        "Writes that a policy blocked in the window.",
        ("project", "agent", "policy", "window"),
    )
    firsts = _firsts(now)
    asked = {
        "action": Action.DATA_BLOCKED.value,
        "first": min(firsts.values()),
        "most": MOST_BLOCKS,
    }
    for project in projects:
        rows = sql.rows(_BLOCKED, {"project": project.id, **asked})
        names = _names(Counter(row.agent_id for row in rows))
        sums = Counter(
            (names.get(row.agent_id, OTHER), row.rule, window)
            for row in rows
            for window, first in firsts.items()
            if row.id >= first
        )
        for labels, blocks in sums.items():
            told.add(blocks, project.slug, *labels)
    return told


def _names(weights: Mapping[str, int]) -> dict[str, str]:
    """Return what the heaviest agents are called by their own code."""
    heaviest = sorted(weights, key=lambda one: (-weights[one], one))[:MOST_AGENTS]
    agents = Agent.objects.filter(id__in=heaviest)
    return dict(agents.values_list("id", "external_id"))


def _firsts(now: datetime) -> dict[str, str]:
    """Return the first id that an event in each window can have."""
    return {name: first_id("trace", now - length) for name, length in WINDOWS.items()}
