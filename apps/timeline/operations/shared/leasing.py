"""Holding a shared document for a while: take, keep, release.

Whether a lease holds is decided by the database's clock, under the document's row
lock. What a lease is worth is its fence: the append refuses every write with another
than the newest, so that who was away too long changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core import sql
from apps.core.errors import DomainError
from apps.timeline.errors import FenceStale, Leased, LeaseLapsed, SharedNotFound
from apps.timeline.ledger.documents import leases
from apps.timeline.ledger.documents.shared import SharedName, begin
from apps.timeline.operations.shared.writing import require_writer

LONGEST_LEASE = 3600
LONGEST_HOLDER = 200

_LEASE = sql.of_session("""
SELECT * FROM timeline_lease_v1(
    %(session)s::varchar, %(project)s::varchar, %(take)s::boolean, %(holder)s::text,
    %(actor_id)s::text, %(fence)s::bigint, %(seconds)s::bigint)
""")


@dataclass(frozen=True, kw_only=True, slots=True)
class Leasing:
    """A lease as it stands: `until` and `seconds_left` are of the database's clock."""

    name: str
    session_id: str
    holder: str
    fence: int
    until: datetime
    seconds_left: float


def take_lease(*, act: Act, name: SharedName, holder: str, seconds: int) -> Leasing:
    """Take the document's lease; who holds it already is given the same fence again.

    The document is made if it is not there: what is to be written first may be decided
    by who holds it.

    Raises: PermissionDenied, AgentSuspended, AgentDeleted, SharedNotFound, Leased.
    """
    require_writer(act, name)
    asked = {"take": True, "holder": holder, "fence": None, "seconds": seconds}
    try:
        return _asked(act, name, asked)
    except SharedNotFound:
        begin(act, name)
    return _asked(act, name, asked)


def keep_lease(*, act: Act, name: SharedName, fence: int, seconds: int) -> Leasing:
    """Have the lease hold for so many seconds from now, or as long as it does.

    Raises: PermissionDenied, AgentSuspended, AgentDeleted, SharedNotFound, FenceStale,
    LeaseLapsed.
    """
    require_writer(act, name)
    asked = {"take": False, "holder": None, "fence": fence, "seconds": seconds}
    return _asked(act, name, asked)


def release_lease(*, act: Act, name: SharedName, fence: int) -> Leasing:
    """Give the lease back; once more, or when its time was over, changes nothing.

    Raises: PermissionDenied, AgentSuspended, AgentDeleted, SharedNotFound, FenceStale.
    """
    require_writer(act, name)
    asked = {"take": False, "holder": None, "fence": fence, "seconds": 0}
    return _asked(act, name, asked)


@transaction.atomic
def _asked(act: Act, name: SharedName, asked: dict[str, Any]) -> Leasing:
    session_id = name.id_in(act.scope)
    given = {
        "session": session_id,
        "project": act.project_id,
        "actor_id": act.actor.id,
        **asked,
    }
    (found,) = sql.rows(_LEASE, given)
    if found.outcome not in ("taken", "same", "kept", "released"):
        raise _refusal(found, asked["fence"])
    action = {
        "taken": Action.SHARED_LEASED,
        "released": Action.SHARED_RELEASED,
    }.get(found.outcome)
    if action is not None:
        audit.record_for(
            act=act,
            stream_id=session_id,
            project_id=act.project_id,
            action=action,
            resource_type="shared",
            resource_id=session_id,
            details={"name": name.text, "holder": found.holder, "fence": found.fence},
        )
    return Leasing(
        name=name.text,
        session_id=session_id,
        holder=found.holder,
        fence=found.fence,
        until=found.until,
        seconds_left=found.seconds_left,
    )


def _refusal(found: Any, fence: int | None) -> DomainError:
    match found.outcome:
        case "unknown":
            return SharedNotFound(param="name")
        case "held":
            return Leased(param="holder", **leases.told(found))
        case "lapsed":
            return LeaseLapsed(param="fence", newest_fence=found.fence)
        case _:
            return FenceStale(
                f"Fence {fence} is not yours, or not the newest: take the lease again.",
                param="fence",
                newest_fence=found.fence,
            )
