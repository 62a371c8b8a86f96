"""Which agents' turns form memories, and how."""

from __future__ import annotations

from django.db import transaction

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.errors import InvalidRequest
from apps.memory.formation import endpoint
from apps.memory.models import Formation, Mode

NO_ENDPOINT = (
    "llm needs a chat endpoint, and this server has none: whoever runs it sets "
    "STEPBACK_FORMATION_URL."
)


def read_formation(*, act: Act, reference: str) -> tuple[Agent, Formation]:
    """Return an agent and how its turns form memories.

    Raises: AgentNotFound.
    """
    agent = Agent.objects.visible_to(act.scope).one_named(reference)
    found = Formation.objects.filter(agent_id=agent.id).first()
    return agent, found or Formation(
        agent_id=agent.id, project_id=agent.project_id, mode=Mode.OFF
    )


def set_formation(*, act: Act, reference: str, mode: str) -> tuple[Agent, Formation]:
    """Set how an agent's turns form memories, from the next turn on.

    Raises: AgentNotFound, AgentDeleted; InvalidRequest, also for `llm` where whoever
    runs the server has named no endpoint.
    """
    if mode not in Mode.values:
        raise InvalidRequest(f"mode takes {', '.join(Mode.values)}.", param="mode")
    if mode == Mode.LLM and not endpoint.is_configured():
        raise InvalidRequest(NO_ENDPOINT, param="mode")
    with transaction.atomic():
        agent = Agent.objects.visible_to(act.scope).one_named(reference)
        agent.require_kept()
        Formation.objects.bulk_create(
            [Formation(agent_id=agent.id, project_id=agent.project_id, mode=mode)],
            update_conflicts=True,
            unique_fields=["agent_id"],
            # What the worker has noted of it stays.
            update_fields=["project_id", "mode"],
        )
        audit.record_on_agent(
            agent_id=agent.id,
            project_id=agent.project_id,
            action=Action.AGENT_UPDATED,
            act=act,
            details={"fields": ["memory_formation"], "memory_formation": mode},
        )
    return agent, Formation.objects.get(agent_id=agent.id)
