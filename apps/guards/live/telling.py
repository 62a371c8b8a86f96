"""Tell in the stream of a session, or of its project, what did not pass a guard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from apps.agents.acts import Act
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.guards.words import Did

if TYPE_CHECKING:
    from apps.guards.live.judging import Found


def tell(
    act: Act, stream_id: str, found: Found, did: Did, where: dict[str, Any]
) -> None:
    """Write `guard.failed`; `where` has the version and the turn, if there are."""
    audit.record(
        stream_id=stream_id,
        project_id=act.project_id,
        action=Action.GUARD_FAILED,
        resource_type="guard",
        resource_id=found.guard.id,
        act=act,
        details={
            "guard_id": found.guard.id,
            "name": found.guard.name,
            "kind": found.guard.kind.value,
            "revision": found.guard.revision,
            "mode": found.guard.mode.value,
            **where,
            "outcome": found.finding.outcome.value,
            "did": did.value,
        },
    )
