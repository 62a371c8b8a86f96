"""Beginning sessions: create one, or fork one from any version of another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from django.db import transaction

from apps.agents import operations as agents
from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.core.actors import Actor
from apps.core.json import State
from apps.timeline import hooks
from apps.timeline.bodies import Part, bundles, files
from apps.timeline.ledger import naming
from apps.timeline.ledger.beginning.creation import SessionCreation
from apps.timeline.ledger.drafts import UNCHANGED, Draft, Edit, Receipt
from apps.timeline.ledger.facts.about import About
from apps.timeline.ledger.locking import lock_session
from apps.timeline.queries.targets import at_turn
from apps.timeline.versions import fetching, reading
from apps.timeline.versions.gone import refused_as_conflict
from apps.timeline.versions.reading import Step, VersionRow
from apps.timeline.words import Hold, Op


@dataclass(frozen=True, kw_only=True, slots=True)
class Origin:
    """The version that a fork begins with: by default the head.

    `turn_id` in place of `number` is the one that was the head once that turn was
    recorded.
    """

    session_id: str
    number: int | None = None
    turn_id: str | None = None


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

    Raises: AgentSuspended, AgentDeleted, ExternalIdTaken (with the session's id, if it
    may be seen), IdempotencyKeyReused, PermissionDenied, UnacceptableJson,
    PayloadTooLarge.
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
    store = partial(
        start.store,
        partial(_registered, act, agent),
        draft,
        state=state,
        before={},
        metadata=about.metadata or {},
    )
    return naming.store_named(act, files.chunks_of(parts), store, carried={})


def fork(
    *,
    act: Act,
    origin: Origin,
    edit: Edit = UNCHANGED,
    agent: str | None = None,
    about: About,
    step: Step,
) -> Receipt:
    """Start a session from any version of another, which stays untouched.

    It is about the same end user unless another is named. The body is copied once,
    with its salt, unless it is edited. The new chain begins with the origin's chain
    value at that version.

    Raises: SessionNotFound, VersionNotFound, TurnNotFound, what a gate refuses it with
    (`hooks.gates`), and what `create` raises.
    """
    start = SessionCreation(act, about)
    known = start.replayed()
    if known:
        return known
    act.request.require_sound()
    version = version_of(act, origin)
    if agent is not None:
        act.scope.require_agent(agent)
        find_agent = partial(_registered, act, agent)
    else:
        find_agent = partial(_known, version.agent_id, act.actor)
    if hooks.FORK:
        _ask_gates(act, version, agent)
    store = partial(start.store_fork, find_agent, version, edit=edit, step=step)
    carried = reading.parts(version)
    shown = {part.name: part for part in (*carried, *edit.parts)}
    return naming.store_named(
        act,
        files.chunks_of(shown.values()),
        store,
        carried=files.chunks_of(carried),
    )


@transaction.atomic
def _ask_gates(act: Act, version: VersionRow, agent: str | None) -> None:
    """Ask under the origin's lock, which is given back: nothing is written there."""
    lock_session(version.session_id)
    asked = hooks.ForkAsked(
        act=act,
        session_id=version.session_id,
        agent_id=version.agent_id,
        number=version.number,
        agent=agent,
    )
    hooks.ask_fork(asked)


def version_of(act: Act, origin: Origin) -> VersionRow:
    """Return the version that a fork begins with, its contents there.

    Raises: SessionNotFound, VersionNotFound, TurnNotFound, VersionPruned and
    ContentsErased as conflicts.
    """
    number = origin.number
    if origin.turn_id is not None:
        number = at_turn(act.scope, origin.session_id, origin.turn_id, now=act.now)
    with refused_as_conflict():
        found = fetching.version(act.scope, origin.session_id, number, now=act.now)
        reading.require_contents(found)
    return found


def _registered(act: Act, agent: str) -> Agent:
    registered = agents.register(act=act, external_id=agent)
    return _awake(registered, act.actor)


def _known(agent_id: str, actor: Actor) -> Agent:
    return _awake(Agent.objects.get(id=agent_id), actor)


def _awake(agent: Agent, actor: Actor) -> Agent:
    # A suspension stops the agent, not the people who look into what it did.
    if actor.is_agent:
        agent.require_writing()
    return agent
