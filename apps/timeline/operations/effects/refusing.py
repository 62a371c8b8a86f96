"""What the functions of effects refuse in common, and who may see a session."""

from __future__ import annotations

from typing import Any

from apps.accounts.errors import AuthenticationFailed, Unusable
from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.core.errors import DomainError
from apps.timeline.errors import SessionNotFound, held
from apps.timeline.versions import fetching, heads


def require_seen(act: Act, session_id: str) -> None:
    """Refuse a session that the caller may not see; the function locks any other.

    Raises: SessionNotFound.
    """
    if not heads.REMEMBERED.get(act.scope, session_id):
        fetching.head(act.scope, session_id, now=act.now)


def refusal(outcome: Any) -> DomainError:
    """Return what an outcome of `timeline_effect_lock` or a hold is told as."""
    match outcome.outcome:
        case "revoked" | "expired":
            return AuthenticationFailed.because(Unusable(outcome.outcome))
        case "suspended":
            return Agent.objects.get(id=outcome.agent_id).refusal
        case "held":
            return held(outcome.hold, outcome.head_number)
        case _:
            return SessionNotFound()
