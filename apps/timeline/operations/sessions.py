"""Beginning sessions: create one, or fork one from any version of another."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from apps.agents import operations as agents
from apps.agents.errors import AgentSuspended
from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.core.actors import Actor
from apps.core.json import State
from apps.timeline.bodies import Part, bundles
from apps.timeline.ledger.beginnings import Beginning
from apps.timeline.ledger.drafts import Draft, Receipt, Request, Step
from apps.timeline.ledger.facts.about import About
from apps.timeline.queries.targets import at_turn
from apps.timeline.versions import reading
from apps.timeline.words import Hold, Op


def create(
    *,
    scope: Scope,
    agent: str,
    state: State,
    about: About,
    parts: tuple[Part, ...] = (),
    step: Step,
    actor: Actor,
    now: datetime,
    request: Request,
) -> Receipt:
    """Start a session with version 0; an unknown agent is registered on the way.

    Raises: AgentSuspended, ExternalIdTaken (with the session's id, if it may be seen),
    IdempotencyKeyReused, PermissionDenied, UnacceptableJson, PayloadTooLarge.
    """
    scope.require_agent(agent)
    start = Beginning(scope, about, actor, now, request)
    known = start.replayed()
    if known:
        return known
    request.require_sound()
    draft = Draft(
        op=Op.CREATE,
        hold=Hold.OPEN,
        step=step,
        parts=bundles.assembled(state, given=parts),
    )
    return start.store(
        partial(_registered, scope, agent, start),
        draft,
        state=state,
        before={},
        metadata=about.metadata or {},
    )


def fork(
    *,
    scope: Scope,
    session_id: str,
    number: int | None,
    turn_id: str | None = None,
    agent: str | None = None,
    patch: State | None = None,
    state: State | None = None,
    about: About,
    parts: tuple[Part, ...] = (),
    step: Step,
    actor: Actor,
    now: datetime,
    request: Request,
) -> Receipt:
    """Start a session from any version of another, which stays untouched.

    `turn_id` in place of `number` is the version that was the head once that turn was
    recorded.

    It is about the same end user unless another is named. The body is copied once,
    with its salt, unless `state` replaces it, or `patch` or `parts` change it. The new
    chain begins with the origin's chain value at that version.

    Raises: SessionNotFound, VersionNotFound, TurnNotFound, and what `create` raises.
    """
    start = Beginning(scope, about, actor, now, request)
    known = start.replayed()
    if known:
        return known
    request.require_sound()
    if turn_id is not None:
        number = at_turn(scope, session_id, turn_id, now=now)
    origin = reading.version(scope, session_id, number, now=now)
    if agent is not None:
        scope.require_agent(agent)
        find_agent = partial(_registered, scope, agent, start)
    else:
        find_agent = partial(_known, origin.agent_id, actor)
    return start.store_fork(
        find_agent, origin, state=state, patch=patch, given=parts, step=step
    )


def _registered(scope: Scope, agent: str, start: Beginning) -> Agent:
    registered = agents.register(
        project=scope.project,
        external_id=agent,
        actor=start.actor,
        now=start.now,
        request_id=start.request.id,
    )
    return _awake(registered, start.actor)


def _known(agent_id: str, actor: Actor) -> Agent:
    return _awake(Agent.objects.get(id=agent_id), actor)


def _awake(agent: Agent, actor: Actor) -> Agent:
    # A suspension stops the agent, not the people who look into what it did.
    if actor.is_agent and agent.is_suspended:
        raise AgentSuspended
    return agent
