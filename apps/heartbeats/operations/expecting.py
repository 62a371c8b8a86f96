"""Expect a session, or those of an agent from now on, to write again in time."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.heartbeats.errors import HeartbeatNotFound, UnacceptableHeartbeat
from apps.heartbeats.models import AgentHeartbeat, Heartbeat
from apps.timeline import operations as timeline
from apps.timeline.errors import SessionClosed
from apps.timeline.versions import head_of
from apps.timeline.words import Hold

LONGEST = 30 * 24 * 60 * 60


@transaction.atomic
def expect(*, act: Act, session_id: str, every: int) -> Heartbeat:
    """Expect the session to write within so many seconds, and so on from each write.

    Set again it is the other; one that is silent is looked at anew.

    Raises: UnacceptableHeartbeat, SessionNotFound, SessionClosed.
    """
    _require(every)
    head_of(act.scope, session_id, now=act.now)
    head = timeline.lock_head(act=act, session_id=session_id)
    if head.hold == Hold.CLOSED:
        raise SessionClosed(head=head.number)
    # A sweep may be about to take it away, and the agent's default about to make it.
    known = Heartbeat.objects.select_for_update().filter(session_id=session_id).first()
    if known and known.every == every and not known.is_default:
        return known
    # One that is there is looked at by the next sweep, which knows what was written.
    first = act.now if known else act.now + timedelta(seconds=every)
    found = Heartbeat(
        session_id=session_id,
        project_id=act.project_id,
        every=every,
        due_at=first,
        silent_since=known.silent_since if known else None,
        is_default=False,
    )
    Heartbeat.objects.bulk_create(
        [found],
        update_conflicts=True,
        unique_fields=["session_id"],
        update_fields=["every", "due_at", "is_default"],
    )
    _record(act, Action.HEARTBEAT_EXPECTED, session_id, {"every": every})
    return found


@transaction.atomic
def expect_no_more(*, act: Act, session_id: str) -> None:
    """Expect nothing of the session; that it was silent stays told.

    Raises: SessionNotFound, HeartbeatNotFound.
    """
    head_of(act.scope, session_id, now=act.now)
    found = Heartbeat.objects.filter(session_id=session_id)
    if not found.delete()[0]:
        raise HeartbeatNotFound
    _record(act, Action.HEARTBEAT_STOPPED, session_id, {})


@transaction.atomic
def expect_of_agent(*, act: Act, reference: str, every: int) -> AgentHeartbeat:
    """Have the agent's sessions begin with a heartbeat, those that begin from now on.

    Raises: UnacceptableHeartbeat, AgentNotFound, AgentDeleted.
    """
    _require(every)
    agent = Agent.objects.visible_to(act.scope).one_named(reference)
    agent.require_kept()
    found, is_new = AgentHeartbeat.objects.get_or_create(
        agent=agent,
        defaults={"project_id": act.project_id, "every": every, "since": act.now},
    )
    if not is_new and found.every == every:
        return found
    if not is_new:
        found.every = every
        found.save(update_fields=["every"])
    audit.record_on_agent(
        agent_id=agent.id,
        project_id=act.project_id,
        action=Action.HEARTBEAT_EXPECTED,
        act=act,
        details={"every": every},
    )
    return found


@transaction.atomic
def expect_no_more_of_agent(*, act: Act, reference: str) -> None:
    """Have the agent's sessions begin without a heartbeat; those there keep theirs.

    Raises: AgentNotFound, HeartbeatNotFound.
    """
    agent = Agent.objects.visible_to(act.scope).one_named(reference)
    if not AgentHeartbeat.objects.filter(agent=agent).delete()[0]:
        raise HeartbeatNotFound
    audit.record_on_agent(
        agent_id=agent.id,
        project_id=act.project_id,
        action=Action.HEARTBEAT_STOPPED,
        act=act,
        details={},
    )


def _require(every: int) -> None:
    """Raises: UnacceptableHeartbeat."""
    if not 1 <= every <= LONGEST:
        raise UnacceptableHeartbeat(
            f"A heartbeat is expected every 1 to {LONGEST:,} seconds.", param="every"
        )


def _record(
    act: Act, action: Action, session_id: str, details: dict[str, object]
) -> None:
    audit.record_for(
        act=act,
        stream_id=session_id,
        project_id=act.project_id,
        action=action,
        resource_type="session",
        resource_id=session_id,
        details=details,
    )
