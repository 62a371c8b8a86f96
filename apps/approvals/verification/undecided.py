"""Which approvals are listed as undecided, held against votes, and made anew.

What is set aside may be listed or not: its row goes once it is due, and an undo that
brings it back before then finds it there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from django.utils import timezone

from apps.approvals.models import Approval, Undecided
from apps.approvals.standing import standings
from apps.approvals.words import Expiry, Status
from apps.core import sql

_LISTED = sql.of_session(sql.query("approvals", "verify_undecided"))


def problems(session_id: str) -> Iterator[str]:
    """Yield what is listed as undecided otherwise than it follows from the votes."""
    rows = sql.rows(_LISTED, {"session": session_id})
    if not rows:
        return
    now = timezone.now()
    found = _approvals(session_id, rows)
    stand = standings(list(found.values()), now=now)
    for row in rows:
        if row.outcome is not None:
            yield f"{row.id} is listed as undecided, which is {row.outcome}"
        elif not row.is_listed:
            if stand[row.id].is_pending:
                yield f"{row.id} waits for a person, and is not listed as undecided"
        elif not row.is_of_it:
            yield f"{row.id} is listed with another version, project or agent"
        elif row.due_at not in _due(found[row.id], row.is_handed_over, now):
            yield f"{row.id} is listed as due at {row.due_at.isoformat()}"


def rebuild(session_id: str) -> None:
    """List anew what is undecided; the caller holds the session's lock."""
    rows = [
        row for row in sql.rows(_LISTED, {"session": session_id}) if row.outcome is None
    ]
    Undecided.objects.of_session(session_id).delete()
    now = timezone.now()
    found = _approvals(session_id, rows)
    stand = standings(list(found.values()), now=now)
    for row in rows:
        one = found[row.id]
        if stand[row.id].status == Status.VOIDED and now >= one.ends_at:
            continue
        Undecided.objects.create(
            session_id=session_id,
            approval_id=one.id,
            project_id=one.project_id,
            agent_id=one.agent_id,
            number=one.number,
            due_at=one.ends_at if row.is_handed_over else one.expires_at,
        )


def _approvals(session_id: str, rows: Sequence[Any]) -> dict[str, Approval]:
    return Approval.objects.by_id(
        [(session_id, row.id) for row in rows], with_agents=False
    )


def _due(one: Approval, is_handed_over: bool, now: datetime) -> Sequence[datetime]:
    """Return when the sweep may look at it next.

    What was set aside when it was to be handed over is looked at when it ends.
    """
    if is_handed_over:
        return (one.ends_at,)
    may_be_passed_by = one.on_expiry == Expiry.ESCALATE and now >= one.expires_at
    return (one.expires_at, one.ends_at) if may_be_passed_by else (one.expires_at,)
