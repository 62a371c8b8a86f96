"""What agents keep, wrote within a window, and had held back by policies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.audit.actions import Action
from apps.audit.models import Event
from apps.core import sql
from apps.core.ids import first_id
from apps.data.audit.trail import stream_of
from apps.timeline.operations import Document

# Of more agents, those that were registered last; of more blocks, the newest.
MOST_AGENTS = 1_000
MOST_BLOCKED = 5_000

_KEPT = sql.across("""
SELECT t.session_id, t.keys, t.bytes, s.head_number
  FROM timeline_tally t
  JOIN timeline_session s ON s.id = t.session_id
 WHERE t.session_id = ANY(%(ids)s::varchar[])
 LIMIT %(most)s
""")
_BEFORE = sql.of_session(sql.query("data", "versions_before"))


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentFigures:
    """What one agent keeps, and did in the window; a write is a version."""

    agent: Agent
    keys: int
    bytes: int
    writes: int
    blocked: int


@dataclass(frozen=True, kw_only=True, slots=True)
class DataFigures:
    """Figures of all agents that the caller sees, and of the largest of them.

    With `has_more_agents` there are others, which are not in it; with
    `has_more_blocked` more was blocked. Keys count until they are swept.
    """

    agents: int
    has_more_agents: bool
    keys: int
    bytes: int
    blocked: Mapping[str, int]
    has_more_blocked: bool
    largest: Sequence[AgentFigures]


def data_figures(
    *, scope: Scope, start: datetime, end: datetime, limit: int
) -> DataFigures:
    """Return what is kept now and was done since `start`, of `limit` agents one by one.

    The largest agents come first, by the bytes that they keep.
    """
    newest = Agent.objects.visible_to(scope).order_by("-id")[: MOST_AGENTS + 1]
    agents = list(newest)
    by_document = {
        Document.of_agent(scope.project, one.id).id: one for one in agents[:MOST_AGENTS]
    }
    kept = kept_by(list(by_document))
    kept.sort(key=lambda row: (-row.bytes, row.session_id))
    blocks = _blocks(scope, agents[:MOST_AGENTS], start, end)
    by_agent = Counter(agent_id for agent_id, _ in blocks[:MOST_BLOCKED])
    return DataFigures(
        agents=len(kept),
        has_more_agents=len(agents) > MOST_AGENTS,
        keys=sum(row.keys for row in kept),
        bytes=sum(row.bytes for row in kept),
        blocked=Counter(rule for _, rule in blocks[:MOST_BLOCKED]),
        has_more_blocked=len(blocks) > MOST_BLOCKED,
        largest=[
            _figures(row, by_document[row.session_id], start, by_agent)
            for row in kept[:limit]
        ],
    )


def _figures(
    row: Any, agent: Agent, start: datetime, blocked: Mapping[str, int]
) -> AgentFigures:
    return AgentFigures(
        agent=agent,
        keys=row.keys,
        bytes=row.bytes,
        writes=writes_since(row, agent.id, {"": start})[""],
        blocked=blocked[agent.id],
    )


def kept_by(document_ids: Sequence[str]) -> list[Any]:
    """Return the head, keys and bytes of the documents that are there."""
    return sql.rows(_KEPT, {"ids": document_ids, "most": len(document_ids)})


def writes_since(
    document: Any, agent_id: str, since: Mapping[str, datetime]
) -> dict[str, int]:
    """Return how many versions an agent's document has had since each of these moments.

    Also those that retention has pruned meanwhile: the agent's records, which stay,
    have the number of each.
    """
    asked = {
        "session": document.session_id,
        "head": document.head_number,
        "names": list(since),
        "since": list(since.values()),
    }
    found = sql.rows(_BEFORE, asked)
    before = {
        one.name: one.number
        if one.is_there
        else min(one.number, _last_before(agent_id, since[one.name], one.number))
        for one in found
    }
    return {name: document.head_number - number for name, number in before.items()}


def _last_before(agent_id: str, moment: datetime, otherwise: int) -> int:
    """Return the version before the first one that records have since a moment."""
    since = stream_of(agent_id).filter(event_id__gte=first_id("trace", moment))
    made = since.exclude(version=None).order_by("event_id")
    first = made.values_list("version", flat=True).first()
    return otherwise if first is None else first - 1


def _blocks(
    scope: Scope, agents: Sequence[Agent], start: datetime, end: datetime
) -> list[tuple[str, str]]:
    """Return the agent and the policy of each write that was blocked, newest first."""
    told = Event.objects.for_project(scope.project.id)
    found = told.with_action([Action.DATA_BLOCKED]).between(start, end).newest_first()
    if scope.agents is not None:
        found = found.filter(resource_id__in=[one.id for one in agents])
    rows = found.values_list("resource_id", "details__rule")[: MOST_BLOCKED + 1]
    return [(agent_id, str(rule)) for agent_id, rule in rows]
