"""Keep that a write was refused, once the request that wrote is rolled back.

It is a transaction of its own, under the session's lock where there is a session, so
that none is kept of one that was deleted meanwhile. A request that is repeated under
its idempotency key is refused again and kept once.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction

from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.core.actors import SYSTEM
from apps.core.errors import NotFound
from apps.core.ids import new_id
from apps.core.provenance import Request
from apps.guards.detecting import Outcome
from apps.guards.live.telling import tell
from apps.guards.models import Refusal
from apps.guards.words import Did
from apps.timeline import operations as timeline

if TYPE_CHECKING:
    from apps.guards.live.judging import Found


def keep(act: Act, session_id: str | None, found: Sequence[Found]) -> None:
    """Store that these guards refused a write, and tell of it.

    Of a session that is gone by now nothing is kept.
    """
    ours = Act(
        scope=Scope(act.scope.project),
        actor=SYSTEM,
        now=act.now,
        request=Request(id=act.request.id),
    )
    with suppress(NotFound), transaction.atomic():
        if session_id is not None:
            timeline.lock_head(act=ours, session_id=session_id)
        for one in found:
            if _is_new(act, session_id, one):
                _tell(ours, session_id, one)


def _is_new(act: Act, session_id: str | None, found: Found) -> bool:
    """Store one; say whether the request is not one that was refused by it before."""
    refusal = Refusal(
        id=new_id("refu", now=act.now),
        project_id=act.project_id,
        session_id=session_id,
        number=found.number,
        guard_id=found.guard.id,
        revision=found.guard.revision,
        is_undecided=found.finding.outcome is Outcome.UNDECIDED,
        request_key=_request_key(act.request),
        actor_id=act.actor.id,
        actor_label=act.actor.label,
        created_at=act.now,
    )
    try:
        with transaction.atomic():
            refusal.save(force_insert=True)
    except IntegrityError:
        return False
    return True


def _request_key(request: Request) -> bytes | None:
    """Return by what a request that is repeated is known; None where it has no key.

    Nothing was stored under its key: with another body it is another request.
    """
    if request.key is None:
        return None
    return sha256(request.digest + request.key.encode()).digest()


def _tell(act: Act, session_id: str | None, found: Found) -> None:
    where = {
        # There is none: it would have been `refused_version`.
        "version": None,
        "refused_version": found.number if found.is_version else None,
        "turn_number": None,
    }
    tell(act, session_id or act.project_id, found, Did.REFUSED, where)
