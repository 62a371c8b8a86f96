"""Which agents' turns form memories, and how."""

from __future__ import annotations

from django.db import transaction

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.errors import InvalidRequest
from apps.memory.models import Formation, Mode


def read_formation(*, act: Act, reference: str) -> tuple[Agent, Mode]:
    """Return an agent and how its turns form memories.

    Raises: AgentNotFound.
    """
    agent = Agent.objects.visible_to(act.scope).one_named(reference)
    found = Formation.objects.filter(agent_id=agent.id).first()
    return agent, Mode.OFF if found is None else Mode(found.mode)


def set_formation(*, act: Act, reference: str, mode: str) -> tuple[Agent, Mode]:
    """Set how an agent's turns form memories, from the next turn on.

    Raises: AgentNotFound, AgentDeleted, InvalidRequest.
    """
    if mode not in Mode.values:
        raise InvalidRequest(f"mode takes {' or '.join(Mode.values)}.", param="mode")
    with transaction.atomic():
        agent = Agent.objects.visible_to(act.scope).one_named(reference)
        agent.require_kept()
        Formation.objects.update_or_create(
            agent_id=agent.id,
            defaults={"project_id": agent.project_id, "mode": mode},
        )
        audit.record_on_agent(
            agent_id=agent.id,
            project_id=agent.project_id,
            action=Action.AGENT_UPDATED,
            act=act,
            details={"fields": ["memory_formation"], "memory_formation": mode},
        )
    return agent, Mode(mode)
