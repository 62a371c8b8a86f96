"""Stepping back: the state of an earlier version becomes the newest version."""

from __future__ import annotations

from datetime import datetime

from apps.agents.scope import Scope
from apps.core.actors import Actor
from apps.timeline import ledger, reading
from apps.timeline.drafts import (
    ANY_HEAD,
    Draft,
    Expected,
    Receipt,
    Request,
    Step,
    Write,
    require_text,
)
from apps.timeline.errors import NothingToRollBack, VersionNotFound
from apps.timeline.reading import VersionRow
from apps.timeline.words import Hold, Op


def rollback(
    *,
    scope: Scope,
    session_id: str,
    to: int,
    step: Step,
    reason_code: str | None = None,
    hold: bool = False,
    actor: Actor,
    now: datetime,
    request: Request,
    expected: Expected = ANY_HEAD,
) -> Receipt:
    """Append a version that shows the body of version `to`; nothing is lost.

    A negative `to` counts back from the head: -1 restores the version before it.
    `hold` pauses the session in the same version, so that no agent can write between
    the two. The reason is the step's reasoning. A paused session can be rolled back
    and stays paused: to look, step back and resume is how people work.

    Raises: NothingToRollBack, VersionNotFound, and what `ledger.append` raises.
    """
    if reason_code is not None:
        require_text("reason_code", reason_code, 100)

    def build(head: VersionRow) -> Write:
        target = _target(scope, head, to, now)
        return Write(
            draft=Draft(
                op=Op.ROLLBACK,
                hold=Hold.PAUSED if hold else Hold(head.hold),
                step=step,
                state=reading.parsed(target),
                reuse=target,
                restored_number=target.number,
                reason_code=reason_code,
            )
        )

    return ledger.append(
        ledger.Append(
            scope=scope,
            session_id=session_id,
            actor=actor,
            now=now,
            request=request,
            expected=expected,
            refused=frozenset({Hold.CLOSED}),
            suspends=actor.is_agent,
            build=build,
        )
    )


def _target(scope: Scope, head: VersionRow, to: int, now: datetime) -> VersionRow:
    number = to if to >= 0 else head.number + to
    if number == head.number:
        raise NothingToRollBack(param="version", head=head.number)
    if not 0 <= number < head.number:
        raise VersionNotFound(
            f"This session has no version {to} to roll back to: "
            f"its head is {head.number}.",
            param="version",
            head=head.number,
        )
    return reading.version(scope, head.session_id, number, now=now)
