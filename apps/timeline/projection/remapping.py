"""Derive anew which sessions of an agent wait for a person, once it has other rules.

Every write decides that for its own session, by rules that a process may remember for
half a minute. So this begins when nobody remembers the rules of before, and goes once
through the agent's sessions; those that wait, or are listed so, are made anew from
their versions (`open_rebuild.py`). Where it was cut short it goes on.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog

from apps.agents.models import Agent
from apps.agents.remembered import REMEMBERED_SECONDS
from apps.agents.waiting import Rules, rules
from apps.core.errors import Busy, DomainError
from apps.timeline.bodies import CorruptBody
from apps.timeline.ledger.encoding.writes import SILENT, waits
from apps.timeline.models import Open, Session
from apps.timeline.projection import open_rebuild
from apps.timeline.versions import fetching, reading
from apps.timeline.words import Hold, OpenKind

log = structlog.get_logger("stepback.remapping")

AT_ONCE = 200
# And a while for requests that began with the rules of before.
SETTLED = timedelta(seconds=REMEMBERED_SECONDS + 15)


def remap(*, now: datetime) -> int:
    """Derive what waits for each agent whose rules have changed; count its sessions."""
    due = Agent.objects.filter(remap_after__lte=now - SETTLED)
    return sum(map(_remap_if_there, due.order_by("remap_after")))


def _remap_if_there(agent: Agent) -> int:
    """Go through an agent's sessions; where keys or a store are away, go on later."""
    try:
        return _remap_agent(agent)
    except Busy as away:
        log.warning("what waits is derived later", agent_id=agent.id, why=str(away))
        return 0


def _remap_agent(agent: Agent) -> int:
    """Go through the sessions of one agent, unless its rules change once more."""
    among, reached, looked_at = rules(agent.waiting), agent.remapped_to, 0
    # Whoever changes the rules meanwhile sets this anew, and begins from the first.
    mine = Agent.objects.filter(id=agent.id, remap_after=agent.remap_after)
    while found := _sessions(agent, reached):
        for session_id in found:
            _remap_session(session_id, among)
        looked_at, reached = looked_at + len(found), found[-1]
        if not mine.update(remapped_to=reached):
            return looked_at
    mine.update(remap_after=None, remapped_to="")
    return looked_at


def _sessions(agent: Agent, after: str) -> list[str]:
    of_agent = Session.objects.filter(project_id=agent.project_id, agent_id=agent.id)
    some = of_agent.filter(id__gt=after).order_by("id")
    return list(some.values_list("id", flat=True)[:AT_ONCE])


def _remap_session(session_id: str, among: Rules) -> None:
    """Make anew what is open in a session that waits, or is listed so.

    One whose states cannot be read stays as it is: `verify` names it.

    Raises: Busy, where what it takes cannot be had now.
    """
    try:
        if _is_listed(session_id) or _may_wait(session_id, among):
            open_rebuild.rebuild(session_id)
    except Busy:
        raise
    except (CorruptBody, DomainError):
        log.warning("what waits cannot be derived", session_id=session_id)


def _is_listed(session_id: str) -> bool:
    listed = Open.objects.filter(session_id=session_id, kind=OpenKind.WAITING)
    return listed.exists()


def _may_wait(session_id: str, among: Rules) -> bool:
    newest = fetching.versions_of(session_id, newest_first=True, after=None, limit=0)
    if not newest or newest[0].hold in (Hold.CLOSED, Hold.DELETED):
        return False
    head = newest[0]
    if head.op in SILENT:
        return True
    return waits(reading.parsed(head), head.objective_status, among)
