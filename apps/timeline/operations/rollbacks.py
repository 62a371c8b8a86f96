"""Stepping back: the state of an earlier version becomes the newest version."""

from __future__ import annotations

from dataclasses import replace

from apps.agents.acts import Act
from apps.timeline import ledger
from apps.timeline.errors import NoRollback
from apps.timeline.ledger import policies
from apps.timeline.ledger.drafts import ANY_HEAD, Build, Draft, Expected, Receipt, Write
from apps.timeline.queries.targets import target
from apps.timeline.versions import fetching
from apps.timeline.versions.intact import is_intact, require_intact
from apps.timeline.versions.reading import Step, VersionRow, require_text
from apps.timeline.words import Hold, Op

# The reason code of a rollback that takes another one back.
UNDO = "undo"


def rollback(
    *,
    act: Act,
    session_id: str,
    to: int,
    step: Step,
    reason_code: str | None = None,
    hold: bool = False,
    expected: Expected = ANY_HEAD,
) -> Receipt:
    """Append a version that shows the body of version `to`; nothing is lost.

    A negative `to` counts back from the head: -1 restores the version before it.
    `hold` pauses the session in the same version, so that no agent can write between
    the two. The reason is the step's reasoning. A paused session can be rolled back
    and stays paused: to look, step back and resume is how people work.
    What is stored of the body is recomputed against its commitment first.

    Raises: NothingToRollBack, VersionNotFound, BodyNotVerified, and what
    `ledger.append` raises.
    """
    if reason_code is not None:
        require_text("reason_code", reason_code, 100)

    def build(head: VersionRow) -> Write:
        return _restoring(
            target(act.scope, head, to, now=act.now),
            step=step,
            reason_code=reason_code,
            hold=Hold.PAUSED if hold else Hold(head.hold),
        )

    return _restored(act, session_id, build, expected)


def undo(
    *,
    act: Act,
    session_id: str,
    number: int,
    step: Step,
    expected: Expected = ANY_HEAD,
) -> Receipt:
    """Take rollback `number` back: roll back to the version that was head before it.

    It is a rollback itself and says which one it undoes. What was appended since is set
    aside; a pause stays until the session is resumed.

    Raises: NoRollback, VersionNotFound, BodyNotVerified, and what `ledger.append`
    raises.
    """

    def build(head: VersionRow) -> Write:
        undone = fetching.version(act.scope, session_id, number, now=act.now)
        if undone.restored_number is None:
            raise NoRollback(param="version", head=head.number)
        return _restoring(
            target(act.scope, head, number - 1, now=act.now),
            step=step,
            reason_code=UNDO,
            hold=Hold(head.hold),
            undo_of=number,
        )

    return _restored(act, session_id, build, expected)


def _restored(act: Act, session_id: str, build: Build, expected: Expected) -> Receipt:
    """Append the rollback and say whether its body was verified.

    `build` has refused one that was not. A replay restores nothing, so what was stored
    then is recomputed now.
    """
    receipt = ledger.append(
        act=act,
        session_id=session_id,
        build=build,
        expected=expected,
        policy=policies.RECOVERY[act.actor.kind],
    )
    if not receipt.is_replay:
        return replace(receipt, verified=True)
    made = fetching.version(act.scope, session_id, receipt.number, now=act.now)
    return replace(receipt, verified=is_intact(made))


def _restoring(
    version: VersionRow,
    *,
    step: Step,
    reason_code: str | None,
    hold: Hold,
    undo_of: int | None = None,
) -> Write:
    """Raises: BodyNotVerified."""
    require_intact(version)
    return Write(
        draft=Draft(
            op=Op.ROLLBACK,
            hold=hold,
            step=step,
            body_from=version,
            restored_number=version.number,
            undo_of=undo_of,
            reason_code=reason_code,
        )
    )
