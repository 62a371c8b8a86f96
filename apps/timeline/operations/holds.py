"""Holding a session: pause, resume, close, delete. Each is a version.

So are waiting for an approval and what came of it, which hold the session in nothing:
what is asked for has to wait, not all that the agent does meanwhile.

Because they compete for the next number like any other write, no append can slip in
between the decision and its effect.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.core.json import Json
from apps.timeline import hooks, ledger
from apps.timeline.errors import AlreadyPaused, NotPaused
from apps.timeline.ledger import policies
from apps.timeline.ledger.drafts import ANY_HEAD, Draft, Expected, Receipt, Write
from apps.timeline.ledger.locking import lock_session
from apps.timeline.models import Session
from apps.timeline.versions import fetching
from apps.timeline.versions.reading import Step, VersionRow
from apps.timeline.words import WAITS_FOR_APPROVAL, Hold, Op


def pause(
    *,
    act: Act,
    session_id: str,
    step: Step,
    expected: Expected = ANY_HEAD,
    reason_code: str | None = None,
) -> Receipt:
    """Stop agents' writes until the session is resumed.

    Raises: AlreadyPaused, SessionClosed, and what `ledger.append` raises.
    """

    def build(head: VersionRow) -> Write:
        if head.hold == Hold.PAUSED:
            raise AlreadyPaused(head=head.number)
        return _held(Op.PAUSE, Hold.PAUSED, step, reason_code)

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
    """Let agents write again; a gate is asked where an agent itself wants to go on.

    Raises: NotPaused, SessionClosed, and what a gate or `ledger.append` raises.
    """
    is_asked = bool(hooks.RESUME) and act.actor.is_agent

    def build(head: VersionRow) -> Write:
        if head.hold == Hold.OPEN:
            raise NotPaused(head=head.number)
        if is_asked:
            lock_session(session_id)
            hooks.ask_resume(
                hooks.ResumeAsked(
                    act=act, session_id=session_id, agent_id=head.agent_id
                )
            )
        return _held(Op.RESUME, Hold.OPEN, step)

    with transaction.atomic() if is_asked else nullcontext():
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


def watch(*, act: Act, session_id: str, is_watched: bool) -> None:
    """Have turns told to those who watch, or no more; under the session's lock."""
    mine = Session.objects.filter(id=session_id, project_id=act.project_id)
    mine.update(is_watched=is_watched)


def lock_head(*, act: Act, session_id: str) -> VersionRow:
    """Hold the session's row until the transaction ends, and return its head.

    Raises: SessionNotFound.
    """
    lock_session(session_id)
    return fetching.head(act.scope, session_id, now=act.now)


def wait(
    *,
    act: Act,
    session_id: str,
    step: Step,
    details: Mapping[str, Json],
    kept: Mapping[str, Any],
) -> Receipt:
    """Note that people are asked; the version shows the state that they are asked on.

    `details` are what its event says beside that, `kept` what its chained record keeps.

    Raises: what `ledger.append` raises.
    """
    return ledger.append(
        act=act,
        session_id=session_id,
        build=lambda head: _shown(Op.WAIT, head, step, details, waits=True),
        policy=policies.WRITE[act.actor.kind],
        kept=kept,
    )


def decide(
    *,
    act: Act,
    session_id: str,
    step: Step,
    details: Mapping[str, Json],
    kept: Mapping[str, Any],
    outcome: str,
    still_waits: bool,
) -> Receipt:
    """Note what came of an approval; `still_waits` where others are asked for.

    The outcome is the version's reason code. A paused session takes it, too.

    Raises: what `ledger.append` raises.
    """
    return ledger.append(
        act=act,
        session_id=session_id,
        build=lambda head: _shown(
            Op.DECIDE, head, step, details, waits=still_waits, outcome=outcome
        ),
        policy=policies.HUMAN_ACT,
        kept=kept,
    )


def _shown(
    op: Op,
    head: VersionRow,
    step: Step,
    details: Mapping[str, Json],
    *,
    waits: bool,
    outcome: str | None = None,
) -> Write:
    """Show the head's state again, saying whether an approval is waited for."""
    said = replace(step, objective_status=WAITS_FOR_APPROVAL if waits else None)
    return Write(
        draft=Draft(
            op=op,
            hold=Hold(head.hold),
            step=said,
            reason_code=outcome,
            details=dict(details),
        )
    )


def _held(op: Op, hold: Hold, step: Step, reason_code: str | None = None) -> Write:
    draft = Draft(op=op, hold=hold, step=step, reason_code=reason_code)
    return Write(draft=draft)
