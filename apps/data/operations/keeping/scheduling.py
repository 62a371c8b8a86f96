"""Checkpoints on a schedule: set when they are due, and make those that are.

Each due moment has one checkpoint: its row is locked, the checkpoint is made, and the
row says when the next is due, in one transaction. So two workers pass each other's by,
and one that was killed in the middle has done nothing. Moments that passed while no
worker ran are named by the next checkpoint, and have none.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import structlog
from django.db import transaction

from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.agents.errors import AgentDeleted
from apps.agents.models import Agent
from apps.agents.operations.recorded import locked, record
from apps.agents.scope import Scope
from apps.audit.actions import Action
from apps.audit.streams import Operation
from apps.core.actors import Actor
from apps.core.ids import new_id
from apps.core.provenance import Request
from apps.data.checkpoints import moments
from apps.data.checkpoints.moments import Due
from apps.data.models import Schedule
from apps.data.operations.checkpoints import (
    CHECKPOINT,
    NewCheckpoint,
    create_checkpoint,
)
from apps.data.operations.recording import found, told
from apps.timeline.operations import Document, lock_document

# What one sweep makes; the next one goes on.
MOST = 500

log = structlog.get_logger("stepback.data")


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentSchedule:
    """When an agent's checkpoints are due; None: on no schedule."""

    agent: Agent
    schedule: Schedule | None


def read_schedule(*, act: Act, reference: str) -> AgentSchedule:
    """Return on which schedule an agent's checkpoints are made.

    Raises: AgentNotFound.
    """
    agent, document = found(act, reference)
    one = Schedule.objects.filter(session_id=document.id).first()
    return AgentSchedule(agent=agent, schedule=one)


def set_schedule(*, act: Act, reference: str, schedule: str | None) -> AgentSchedule:
    """Have checkpoints made from the next moment of a schedule on, or (None) no more.

    The one that is set already stays as it is.

    Raises: AgentNotFound, AgentDeleted, AgentSuspended, InvalidRequest.
    """
    if schedule is not None:
        moments.require_schedule(schedule, now=act.now)
    with transaction.atomic():
        agent = locked(act.scope, reference)
        agent.require_kept()
        if act.actor.is_agent:
            agent.require_writing()
        document = Document.of_agent(act.project, agent.id)
        mine = Schedule.objects.select_for_update().filter(session_id=document.id)
        one = mine.first()
        if (one.schedule if one else None) == schedule:
            return AgentSchedule(agent=agent, schedule=one)
        one = _set(act, document, one, schedule)
        told_of = {"fields": ["checkpoint_schedule"], "checkpoint_schedule": schedule}
        record(Action.AGENT_UPDATED, agent, act=act, details=told_of)
    return AgentSchedule(agent=agent, schedule=one)


def keep_due(*, actor: Actor, now: datetime) -> int:
    """Make the checkpoints that are due; return how many were made.

    One that fails holds up no other: it stays due.
    """
    made = 0
    due = Schedule.objects.due(now).values_list("session_id", flat=True)
    for session_id in list(due[:MOST]):
        try:
            made += _keep(session_id, actor, now)
        except Exception:
            log.exception("a checkpoint on a schedule failed", document=session_id)
    return made


def _set(
    act: Act, document: Document, one: Schedule | None, schedule: str | None
) -> Schedule | None:
    if schedule is None:
        if one is not None:
            one.delete()
        return None
    if one is None:
        one = Schedule(session_id=document.id, project_id=act.project_id)
        one.agent_id = document.agent_id
    one.schedule = schedule
    one.due_at = moments.next_after(schedule, act.now)
    one.save()
    # The worker finds a document to lock.
    about = told(Operation.CHECKPOINT_CREATE, "", resource_type=CHECKPOINT)
    lock_document(act=act, document=document, told=about)
    return one


@transaction.atomic
def _keep(session_id: str, actor: Actor, now: datetime) -> int:
    """Make the one that is due, unless another worker has it in hand or made it."""
    rows = Schedule.objects.select_for_update(skip_locked=True).due(now)
    one = rows.filter(session_id=session_id).first()
    if one is None:
        return 0
    first = one.due_at
    due = moments.due_since(one.schedule, first, now)
    one.due_at = due.following
    one.save(update_fields=["due_at"])
    try:
        with transaction.atomic():
            create_checkpoint(
                act=_act(one, actor, now),
                reference=one.agent_id,
                said=_said(one, first, due),
            )
    except AgentDeleted:
        # Should it be brought back, its schedule goes on.
        return 0
    return 1


def _act(one: Schedule, actor: Actor, now: datetime) -> Act:
    project = Project.objects.get(id=one.project_id)
    request = Request(id=new_id("req", now=now))
    return Act(scope=Scope(project), actor=actor, now=now, request=request)


def _said(one: Schedule, first: datetime, due: Due) -> NewCheckpoint:
    """Name the moment, which also keeps it apart from the one before."""
    at: dict[str, Any] = {"schedule": one.schedule, "due_at": _minute(due.moment)}
    missed = None
    if due.missed:
        many = "Over 1,000" if due.has_more_missed else f"{due.missed:,}"
        missed = (
            f"{many} before it, from {_minute(first)} on, missed: no worker made them."
        )
        at["missed"] = due.missed
    return NewCheckpoint(
        label=moments.words(one.schedule), description=missed, metadata=at
    )


def _minute(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M}Z"
