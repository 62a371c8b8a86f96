"""Beginning sessions: create one, or fork one from any version of another."""

from __future__ import annotations

from functools import partial

from apps.agents import operations as agents
from apps.agents.acts import Act
from apps.agents.errors import AgentSuspended
from apps.agents.models import Agent
from apps.core.actors import Actor
from apps.core.json import State
from apps.timeline.bodies import Part, bundles
from apps.timeline.ledger.beginnings import SessionCreation
from apps.timeline.ledger.drafts import Draft, Receipt, Step
from apps.timeline.ledger.facts.about import About
from apps.timeline.queries.targets import at_turn
from apps.timeline.versions import reading
from apps.timeline.words import Hold, Op


def create(
    *,
    act: Act,
    agent: str,
    state: State,
    about: About,
    parts: tuple[Part, ...] = (),
    step: Step,
) -> Receipt:
    """Start a session with version 0; an unknown agent is registered on the way.

    Raises: AgentSuspended, ExternalIdTaken (with the session's id, if it may be seen),
    IdempotencyKeyReused, PermissionDenied, UnacceptableJson, PayloadTooLarge.
    """
    act.scope.require_agent(agent)
    start = SessionCreation(act, about)
    known = start.replayed()
    if known:
        return known
    act.request.require_sound()
    draft = Draft(
        op=Op.CREATE,
        hold=Hold.OPEN,
        step=step,
        parts=bundles.assembled(state, given=parts),
    )
    return start.store(
        partial(_registered, act, agent),
        draft,
        state=state,
        before={},
        metadata=about.metadata or {},
    )


def fork(
    *,
    act: Act,
    session_id: str,
    number: int | None,
    turn_id: str | None = None,
    agent: str | None = None,
    patch: State | None = None,
    state: State | None = None,
    about: About,
    parts: tuple[Part, ...] = (),
    step: Step,
) -> Receipt:
    """Start a session from any version of another, which stays untouched.

    `turn_id` in place of `number` is the version that was the head once that turn was
    recorded.

    It is about the same end user unless another is named. The body is copied once,
    with its salt, unless `state` replaces it, or `patch` or `parts` change it. The new
    chain begins with the origin's chain value at that version.

    Raises: SessionNotFound, VersionNotFound, TurnNotFound, and what `create` raises.
    """
    start = SessionCreation(act, about)
    known = start.replayed()
    if known:
        return known
    act.request.require_sound()
    if turn_id is not None:
        number = at_turn(act.scope, session_id, turn_id, now=act.now)
    origin = reading.version(act.scope, session_id, number, now=act.now)
    if agent is not None:
        act.scope.require_agent(agent)
        find_agent = partial(_registered, act, agent)
    else:
        find_agent = partial(_known, origin.agent_id, act.actor)
    return start.store_fork(
        find_agent, origin, state=state, patch=patch, given=parts, step=step
    )


def _registered(act: Act, agent: str) -> Agent:
    registered = agents.register(act=act, external_id=agent)
    return _awake(registered, act.actor)


def _known(agent_id: str, actor: Actor) -> Agent:
    return _awake(Agent.objects.get(id=agent_id), actor)


def _awake(agent: Agent, actor: Actor) -> Agent:
    # A suspension stops the agent, not the people who look into what it did.
    if actor.is_agent and agent.is_suspended:
        raise AgentSuspended
    return agent
