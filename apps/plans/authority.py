"""By whose right an item is done: of who confirmed it, as that right is now."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

from apps.accounts.access import Permission, require_still
from apps.accounts.models import ApiKey
from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.core.actors import Actor, ActorKind
from apps.core.errors import PermissionDenied
from apps.core.ids import new_id
from apps.core.provenance import Request
from apps.plans.models import Item, Plan
from apps.timeline.models import Session
from apps.timeline.querysets import SessionQuerySet


def act_for(plan: Plan, item: Item, *, now: datetime) -> Act:
    """Return the act of one item, under a key that is this item's for ever.

    Raises: PermissionDenied for a person or a key that lost the right meanwhile.
    """
    actor = Actor(
        kind=ActorKind(plan.runs_as_kind or ActorKind.SYSTEM),
        id=plan.runs_as_id or "",
        label=plan.runs_as_label or "",
    )
    key = f"plan:{plan.id}:{item.session_id}"
    return Act(
        scope=_scope(plan, actor, now),
        actor=actor,
        now=now,
        request=Request(
            id=plan.request_id or "", key=key, digest=sha256(key.encode()).digest()
        ),
        api_key_id=actor.id if actor.is_agent else None,
    )


def maker_of(plan: Plan, *, now: datetime) -> Act:
    """Return the act under which the dry run goes on: of who made the plan.

    Raises: PermissionDenied for a person or a key that lost the right meanwhile.
    """
    actor = Actor(
        kind=ActorKind(plan.made_by_kind), id=plan.made_by_id, label=plan.made_by_label
    )
    return Act(
        scope=_scope(plan, actor, now),
        actor=actor,
        now=now,
        request=Request(id=new_id("req", now=now)),
        api_key_id=actor.id if actor.is_agent else None,
    )


def seen_by(act: Act) -> SessionQuerySet:
    """The sessions that the actor sees: an agent none that was deleted or is over."""
    found = Session.objects.of_project(act.project_id).of_agents(act.scope.agents)
    return found.alive(now=act.now) if act.actor.is_agent else found


def _scope(plan: Plan, actor: Actor, now: datetime) -> Scope:
    """Return what the actor may touch now."""
    if actor.kind is ActorKind.USER:
        require_still(actor, Permission.WRITE, plan.project)
    if actor.kind is not ActorKind.KEY:
        return Scope(plan.project)
    live = ApiKey.objects.in_project(plan.project_id).live(now)
    key = live.filter(id=actor.id).first()
    if key is None:
        raise PermissionDenied(f"The API key {actor.label}… is revoked or expired.")
    agents = None if key.agents is None else frozenset(key.agents)
    return Scope(plan.project, agents)
