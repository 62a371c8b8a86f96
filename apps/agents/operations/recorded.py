"""What the verbs of agents share: the locked row, and the record of an act."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core import json
from apps.core.provenance import Provenance


def locked(scope: Scope, reference: str) -> Agent:
    """Return the agent, whose row nobody else changes until the transaction ends.

    Raises: AgentNotFound.
    """
    agents = Agent.objects.visible_to(scope).select_for_update(no_key=True)
    return agents.one_named(reference)


def record(
    action: Action,
    agent: Agent,
    *,
    act: Provenance,
    details: Mapping[str, Any] = audit.EMPTY,
) -> None:
    """Write the event of an act, chained as well unless an agent does it."""
    _record(action, agent, act, details, is_always_chained=False)


def record_act(
    action: Action, agent: Agent, *, act: Provenance, details: Mapping[str, Any]
) -> None:
    """Write the event and the chained record of an administrator's act."""
    _record(action, agent, act, details, is_always_chained=True)


def named(agent: Agent) -> dict[str, Any]:
    """Return what every record of an agent says of it."""
    return {"agent_id": json.cleaned(agent.external_id)}


def _record(
    action: Action,
    agent: Agent,
    act: Provenance,
    details: Mapping[str, Any],
    *,
    is_always_chained: bool,
) -> None:
    audit.record_on_agent(
        agent_id=agent.id,
        project_id=agent.project_id,
        action=action,
        act=act,
        details={**named(agent), **details},
        is_always_chained=is_always_chained,
    )
