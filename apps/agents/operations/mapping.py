"""Map what the states of an agent say, as an administrator has it."""

from __future__ import annotations

from functools import partial

from django.db import transaction

from apps.agents import remembered
from apps.agents.acts import Act
from apps.agents.covered import MAPPING
from apps.agents.errors import MappingChanged
from apps.agents.mapping import Mapping, mapping_of, require_values
from apps.agents.models import Agent
from apps.agents.operations.recorded import locked, record_act
from apps.audit.actions import Action

MAPPED = (
    *("title_path", "user_path", "waiting", "noise", "mapped_at"),
    *("remap_after", "remapped_to"),
)


@transaction.atomic
def map_states(
    *, act: Act, reference: str, mapping: Mapping, seen: str | None = None
) -> Agent:
    """Set all that is mapped of an agent's states.

    Titles, users and noise are looked up when they are shown, so they change at once.
    What waits is decided as it is written: by the new rules in every process after
    half a minute, and then derived anew for the sessions that there are. `seen` is the
    mapping as it was shown (`as_shown`): what others changed since is not changed back.

    Raises: AgentNotFound, AgentDeleted, MappingChanged, InvalidRequest.
    """
    mapping.require()
    found = Agent.objects.visible_to(act.scope).one_named(reference)
    require_values(found, mapping, now=act.now)
    agent = locked(act.scope, reference)
    agent.require_kept()
    # Sent twice, the second changes nothing.
    was = mapping_of(agent).as_shown
    if was != mapping.as_shown and seen not in (None, was):
        raise MappingChanged
    rules = None if mapping.waiting is None else list(mapping.waiting)
    if rules != agent.waiting:
        agent.remap_after, agent.remapped_to = act.now, ""
    agent.title_path, agent.user_path = mapping.title, mapping.user
    agent.waiting, agent.noise = rules, list(mapping.noise)
    agent.mapped_at = agent.updated_at = act.now
    agent.save(update_fields=[*MAPPED, "updated_at"])
    transaction.on_commit(partial(remembered.forget, agent.id))
    left = MAPPING.left(agent, act.project.index_key).details()
    record_act(Action.AGENT_MAPPED, agent, act=act, details=left)
    return agent
