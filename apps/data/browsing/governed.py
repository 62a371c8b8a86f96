"""How much agents of a project do with their data, and how much of it they keep.

A head's number says how much was written, and a tally how much is kept: both cost the
same however much that is.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.accounts.models import Project
from apps.agents.models import Agent
from apps.audit.actions import Action
from apps.audit.models import Event
from apps.data.browsing.figures import MOST_AGENTS, kept_by
from apps.timeline.operations import Document

# Blocked writes are counted so far.
MOST_BLOCKED = 1_000
DAY = timedelta(days=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Governed:
    """How much agents have written, what was held back, and what they keep.

    `agents` are those that keep data or a config; with `has_more_agents` there may be
    others, which are not in it. A write is a version of data or config.
    """

    agents: int
    has_more_agents: bool
    writes: int
    # Within the last day; one above `MOST_BLOCKED` where there are more.
    blocked: int
    keys: int
    bytes: int

    @property
    def has_more_blocked(self) -> bool:
        return self.blocked > MOST_BLOCKED


def governed(project: Project, *, now: datetime) -> Governed:
    """Return how much is done under policies; keys count until they are swept."""
    newest = Agent.objects.filter(project=project).order_by("-id")
    agents = list(newest.values_list("id", flat=True)[: MOST_AGENTS + 1])
    ids = [Document.of_agent(project, one).id for one in agents[:MOST_AGENTS]]
    kept = kept_by(ids)
    return Governed(
        agents=len(kept),
        has_more_agents=len(agents) > MOST_AGENTS,
        writes=sum(one.head_number for one in kept),
        blocked=_blocked(project, now),
        keys=sum(one.keys for one in kept),
        bytes=sum(one.bytes for one in kept),
    )


def _blocked(project: Project, now: datetime) -> int:
    told = Event.objects.for_project(project.id).with_action([Action.DATA_BLOCKED])
    # What was done a moment ago by another clock counts as well.
    found = told.between(now - DAY, None).newest_first()
    return len(found.values_list("id", flat=True)[: MOST_BLOCKED + 1])
