"""Suspend, activate and delete agents, and bring them back.

A deleted agent is a suspended one that lists leave out: nothing of it goes away, its
audit least of all, and its name stays its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.agents.models import Agent, AgentStatus
from apps.agents.operations.recorded import locked, record, record_act
from apps.audit.actions import Action
from apps.core.errors import InvalidRequest, PermissionDenied

# An event is read with others: it keeps a sentence, not a report.
LONGEST_REASON = 200
CHANGED = ("status", "deleted_at", "activated_at", "updated_at")


@transaction.atomic
def suspend(*, act: Act, reference: str, reason: str | None = None) -> Agent:
    """Stop the agent's writes; suspending it twice is one suspension.

    People are asked for a reason, which the record keeps; programs may go without.

    Raises: AgentNotFound, AgentDeleted, InvalidRequest.
    """
    details = _details(reason)
    agent = locked(act.scope, reference)
    agent.require_kept()
    if not agent.is_suspended:
        _set(agent, AgentStatus.SUSPENDED, act)
        record(Action.AGENT_SUSPENDED, agent, act=act, details=details)
    return agent


@transaction.atomic
def activate(*, act: Act, reference: str, may_restore: bool) -> Agent:
    """Let the agent write again, and bring it back if it was deleted.

    `may_restore` says whether the caller may do for the project what only
    administrators do.

    Raises: AgentNotFound, PermissionDenied for a deleted one.
    """
    agent = locked(act.scope, reference)
    if agent.is_deleted:
        if not may_restore:
            raise PermissionDenied(
                "This agent is deleted: administrators bring it back.",
                required="admin",
            )
        _set(agent, AgentStatus.ACTIVE, act)
        record_act(Action.AGENT_RESTORED, agent, act=act, details={})
    elif agent.is_suspended:
        _set(agent, AgentStatus.ACTIVE, act)
        record(Action.AGENT_ACTIVATED, agent, act=act)
    return agent


@transaction.atomic
def delete(*, act: Act, reference: str, reason: str | None = None) -> Agent:
    """Stop the agent's writes and leave it out of lists; deleting it twice is once.

    Sessions, versions and records stay, and `activate` brings it back.

    Raises: AgentNotFound, InvalidRequest.
    """
    details = _details(reason)
    agent = locked(act.scope, reference)
    if not agent.is_deleted:
        _set(agent, AgentStatus.DELETED, act)
        record_act(Action.AGENT_DELETED, agent, act=act, details=details)
    return agent


def _set(agent: Agent, status: AgentStatus, act: Act) -> None:
    is_deleted = status == AgentStatus.DELETED
    agent.status = AgentStatus.SUSPENDED if is_deleted else status
    agent.deleted_at = act.now if is_deleted else None
    agent.activated_at = act.now if status == AgentStatus.ACTIVE else None
    agent.updated_at = act.now
    agent.save(update_fields=CHANGED)


def _details(reason: str | None) -> Mapping[str, Any]:
    return {} if reason is None else {"reason": _checked(reason)}


def _checked(reason: str) -> str:
    if not reason.strip() or len(reason) > LONGEST_REASON or "\x00" in reason:
        message = f"Say why, in at most {LONGEST_REASON:,} characters, without NUL."
        raise InvalidRequest(message, param="reason")
    return reason
