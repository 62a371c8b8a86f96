"""Holding a session: pause, resume, close, delete. Each is a version.

Because they compete for the next number like any other write, no append can slip in
between the decision and its effect.
"""

from __future__ import annotations

from datetime import datetime

from apps.agents.scope import Scope
from apps.core.actors import Actor
from apps.timeline import ledger
from apps.timeline.errors import AlreadyPaused, NotPaused
from apps.timeline.ledger.drafts import (
    ANY_HEAD,
    Draft,
    Expected,
    Receipt,
    Request,
    Step,
    Write,
)
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Hold, Op


def pause(
    *,
    scope: Scope,
    session_id: str,
    step: Step,
    actor: Actor,
    now: datetime,
    request: Request,
    expected: Expected = ANY_HEAD,
) -> Receipt:
    """Stop agents' writes until the session is resumed.

    Raises: AlreadyPaused, SessionClosed, and what `ledger.append` raises.
    """

    def build(head: VersionRow) -> Write:
        if head.hold == Hold.PAUSED:
            raise AlreadyPaused(head=head.number)
        return _held(Op.PAUSE, Hold.PAUSED, step)

    return ledger.append(
        ledger.Append(
            scope=scope,
            session_id=session_id,
            actor=actor,
            now=now,
            request=request,
            expected=expected,
            refused=frozenset({Hold.CLOSED}),
            suspends=False,
            build=build,
        )
    )


def resume(
    *,
    scope: Scope,
    session_id: str,
    step: Step,
    actor: Actor,
    now: datetime,
    request: Request,
    expected: Expected = ANY_HEAD,
) -> Receipt:
    """Let agents write again.

    Raises: NotPaused, SessionClosed, and what `ledger.append` raises.
    """

    def build(head: VersionRow) -> Write:
        if head.hold == Hold.OPEN:
            raise NotPaused(head=head.number)
        return _held(Op.RESUME, Hold.OPEN, step)

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


def close(
    *,
    scope: Scope,
    session_id: str,
    step: Step,
    actor: Actor,
    now: datetime,
    request: Request,
    expected: Expected = ANY_HEAD,
) -> Receipt:
    """End the session for good: it can be read and forked, never written again.

    Raises: SessionClosed when it is closed already, and what `ledger.append` raises.
    """
    return ledger.append(
        ledger.Append(
            scope=scope,
            session_id=session_id,
            actor=actor,
            now=now,
            request=request,
            expected=expected,
            refused=frozenset({Hold.CLOSED}),
            suspends=False,
            build=lambda head: _held(Op.CLOSE, Hold.CLOSED, step),
        )
    )


def delete(
    *,
    scope: Scope,
    session_id: str,
    step: Step,
    actor: Actor,
    now: datetime,
    request: Request,
) -> Receipt:
    """Take the session away from agents and lists; its evidence stays.

    Raises: SessionNotFound, also when it is deleted already.
    """
    return ledger.append(
        ledger.Append(
            scope=scope,
            session_id=session_id,
            actor=actor,
            now=now,
            request=request,
            expected=ANY_HEAD,
            refused=frozenset(),
            suspends=False,
            build=lambda head: _held(Op.DELETE, Hold.DELETED, step),
        )
    )


def _held(op: Op, hold: Hold, step: Step) -> Write:
    return Write(draft=Draft(op=op, hold=hold, step=step))
