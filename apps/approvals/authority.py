"""Who decides about an approval: people alone, with the right that they have now."""

from __future__ import annotations

from apps.accounts.access import Permission, require_still
from apps.agents.acts import Act
from apps.approvals.models import Approval, Vote
from apps.approvals.words import Who
from apps.core.actors import Actor, ActorKind
from apps.core.errors import PermissionDenied


def require_person(actor: Actor) -> None:
    """Raises: PermissionDenied for whatever is not a person that signed in."""
    if actor.kind is not ActorKind.USER:
        raise PermissionDenied(
            "Only people decide, signed in to the console; a key asks and waits."
        )


def may_decide(approval: Approval, act: Act) -> Permission:
    """Return what a person needs to vote on this."""
    admins = approval.who == Who.ADMIN or approval.is_escalated(act.now)
    return Permission.ADMIN if admins else Permission.WRITE


def still_may(vote: Vote, approval: Approval, act: Act) -> bool:
    """Say whether who gave this vote might give it now."""
    voter = Actor(
        kind=ActorKind(vote.actor_kind), id=vote.actor_id, label=vote.actor_label
    )
    try:
        require_still(voter, may_decide(approval, act), act.project)
    except PermissionDenied:
        return False
    return True
