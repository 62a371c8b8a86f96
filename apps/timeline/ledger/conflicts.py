"""Tells a writer what was there before it: a newer head, or a name that it chose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from apps.accounts.errors import AuthenticationFailed, Unusable
from apps.agents.models import Agent
from apps.core import sql
from apps.core.errors import DomainError, IdempotencyKeyReused
from apps.timeline import bodies
from apps.timeline.errors import (
    BUDGET,
    BudgetReached,
    ExternalIdTaken,
    SessionClosed,
    SessionNotFound,
    SessionPaused,
    UsageCurrency,
    VersionConflict,
    VersionMismatch,
    held,
)
from apps.timeline.ledger.documents import leases
from apps.timeline.ledger.drafts import Expected, WriteCommand
from apps.timeline.ledger.encoding import batches
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Op

VERSIONS_LOOKED_AT = 20
PATHS_NAMED = 50


def stale(expected: Expected, head: VersionRow) -> VersionConflict | VersionMismatch:
    """Return the error naming the head, who wrote it, when, and what changed since.

    The paths come from the last 20 versions after the expected one, at most 50.
    """
    error = VersionMismatch if expected.from_header else VersionConflict
    return error(
        f"You built on version {expected.number}, but the head is {head.number}: "
        "read it and build on that.",
        param="If-Match" if expected.from_header else "expected_version",
        expected_version=expected.number,
        head=head.number,
        head_written_by=head.actor_label,
        head_written_at=head.created_at,
        changed_paths=_changed_paths(expected.number or 0, head),
    )


def refused_by(head: VersionRow) -> BudgetReached | SessionPaused | SessionClosed:
    """Return what the hold of a head answers; a budget that made it says so."""
    if head.op == Op.PAUSE and head.reason_code == BUDGET:
        return BudgetReached(head.reasoning or "", head=head.number)
    return held(head.hold, head.number)


def named(session_id: str) -> ExternalIdTaken:
    """Return the error of a name that another version of the session has."""
    return ExternalIdTaken(
        "Another version of this session has that external id.",
        param="external_id",
        session_id=session_id,
    )


def require_free_names(session_id: str, names: Sequence[str | None]) -> None:
    """Find the first item of a batch whose name another version has.

    Raises: ExternalIdTaken naming the item.
    """
    found = sql.rows(
        sql.of_session("""
        SELECT external_id FROM timeline_version
         WHERE session_id = %s AND external_id = ANY (%s::text[])
        """),
        [session_id, list(names)],
    )
    taken = {row.external_id for row in found}
    for index, name in enumerate(names):
        if name in taken:
            with batches.item(index):
                raise named(session_id)


def _changed_paths(since: int, head: VersionRow) -> list[str]:
    found = sql.rows(
        sql.of_session("""
        SELECT changes FROM timeline_version
         WHERE session_id = %s AND number > %s ORDER BY number DESC LIMIT %s
        """),
        [head.session_id, since, VERSIONS_LOOKED_AT],
    )
    paths = {
        change["pointer"]: None
        for row in found
        for change in bodies.opened_changes(head.session_id, row.changes)
    }
    return list(paths)[:PATHS_NAMED]


def refusal(command: WriteCommand, outcome: Any, head: VersionRow) -> DomainError:
    """Return what the function's outcome refuses a write with, where it stores none."""
    match outcome.outcome:
        case "revoked" | "expired":
            return AuthenticationFailed.because(Unusable(outcome.outcome))
        case "held":
            return held(outcome.hold, outcome.head_number)
        case "currency":
            return UsageCurrency(param="usage.currency")
        case "reused":
            return IdempotencyKeyReused(param="Idempotency-Key")
        case "fenced":
            return leases.refused(command.session_id, command.expected.fence)
        case "suspended":
            return Agent.objects.get(id=head.agent_id).refusal
        case "named":
            return named(command.session_id)
        case _:
            return SessionNotFound()
