"""Holding a session: pause, resume, close, delete. Each is a version.

Because they compete for the next number like any other write, no append can slip in
between the decision and its effect.
"""

from __future__ import annotations

from apps.agents.acts import Act
from apps.timeline import ledger
from apps.timeline.errors import AlreadyPaused, NotPaused
from apps.timeline.ledger import policies
from apps.timeline.ledger.drafts import ANY_HEAD, Draft, Expected, Receipt, Write
from apps.timeline.versions.reading import Step, VersionRow
from apps.timeline.words import Hold, Op


def pause(
    *,
    act: Act,
    session_id: str,
    step: Step,
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
        act=act,
        session_id=session_id,
        build=build,
        expected=expected,
        policy=policies.HOLD,
    )


def resume(
    *,
    act: Act,
    session_id: str,
    step: Step,
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
        act=act,
        session_id=session_id,
        build=build,
        expected=expected,
        policy=policies.RECOVERY[act.actor.kind],
    )


def close(
    *,
    act: Act,
    session_id: str,
    step: Step,
    expected: Expected = ANY_HEAD,
) -> Receipt:
    """End the session for good: it can be read and forked, never written again.

    Raises: SessionClosed when it is closed already, and what `ledger.append` raises.
    """
    return ledger.append(
        act=act,
        session_id=session_id,
        build=lambda head: _held(Op.CLOSE, Hold.CLOSED, step),
        expected=expected,
        policy=policies.HOLD,
    )


def delete(
    *,
    act: Act,
    session_id: str,
    step: Step,
) -> Receipt:
    """Take the session away from agents and lists; its evidence stays.

    Raises: SessionNotFound, also when it is deleted already.
    """
    return ledger.append(
        act=act,
        session_id=session_id,
        build=lambda head: _held(Op.DELETE, Hold.DELETED, step),
        policy=policies.DELETE,
    )


def _held(op: Op, hold: Hold, step: Step) -> Write:
    return Write(draft=Draft(op=op, hold=hold, step=step))
