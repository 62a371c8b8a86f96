"""Stepping back: the state of an earlier version becomes the newest version."""

from __future__ import annotations

from dataclasses import replace

from django.db import transaction

from apps.agents.acts import Act
from apps.timeline import hooks, ledger
from apps.timeline.errors import NoRollback, ReasonRequired
from apps.timeline.ledger import policies
from apps.timeline.ledger.drafts import ANY_HEAD, Build, Draft, Expected, Receipt, Write
from apps.timeline.ledger.locking import lock_session
from apps.timeline.models import Compensation
from apps.timeline.operations.effects.compensating import Owed
from apps.timeline.operations.migrating import Following, plainly_refused
from apps.timeline.queries.targets import target
from apps.timeline.versions import fetching
from apps.timeline.versions.gone import refused_as_conflict
from apps.timeline.versions.intact import is_intact, require_intact
from apps.timeline.versions.reading import Step, VersionRow, require_text
from apps.timeline.words import Crossing, Hold, Op

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
    crossing: Crossing = Crossing.ANYTHING,
    migrate_to: str | None = None,
    expected: Expected = ANY_HEAD,
) -> Receipt:
    """Append a version that shows the body of version `to`; nothing is lost.

    A negative `to` counts back from the head: -1 restores the version before it.
    `hold` pauses the session in the same version, so that no agent can write between
    the two. The reason is the step's reasoning. A paused session can be rolled back
    and stays paused: to look, step back and resume is how people work.
    What is stored of the body is recomputed against its commitment first. What it goes
    behind outside is owed for from then on, unless it must not (`crossing`). Where the
    project requires a reason, white space is none. `migrate_to` names the schema that
    the restored state becomes one of in a second version, stored with the first or not
    at all.

    Raises: ReasonRequired, NothingToRollBack, VersionNotFound, BodyNotVerified,
    EffectsCrossed, EffectsUnconfirmed, what `migrate` refuses the restored state with,
    what a gate refuses it with (`hooks.gates`), and what `ledger.append` raises.
    """
    if reason_code is not None:
        require_text("reason_code", reason_code, 100)
    owed = Owed(crossing)

    def build(head: VersionRow) -> Write:
        require_reason(act, step)
        _hold_still(head)
        restored = target(act.scope, head, to, now=act.now)
        _ask_gates(act, head, restored)
        owed.look(head, restored)
        return _restoring(
            restored,
            step=step,
            reason_code=reason_code,
            hold=Hold.PAUSED if hold else Hold(head.hold),
        )

    return _restored(act, session_id, build, expected, owed, migrate_to=migrate_to)


def undo(
    *,
    act: Act,
    session_id: str,
    number: int,
    step: Step,
    crossing: Crossing = Crossing.ANYTHING,
    expected: Expected = ANY_HEAD,
) -> Receipt:
    """Take rollback `number` back: roll back to the version that was head before it.

    It is a rollback itself and says which one it undoes, so no project requires a
    reason of it. What was appended since is set aside; a pause stays until the session
    is resumed.

    Raises: NoRollback, VersionNotFound, BodyNotVerified, EffectsUnconfirmed, what a
    gate refuses it with, and what `ledger.append` raises.
    """
    owed = Owed(crossing)

    def build(head: VersionRow) -> Write:
        _hold_still(head)
        with refused_as_conflict():
            undone = fetching.version(act.scope, session_id, number, now=act.now)
        if undone.restored_number is None:
            raise NoRollback(param="version", head=head.number)
        restored = target(act.scope, head, number - 1, now=act.now)
        _ask_gates(act, head, restored, undo_of=number)
        owed.look(head, restored)
        return _restoring(
            restored,
            step=step,
            reason_code=UNDO,
            hold=Hold(head.hold),
            undo_of=number,
        )

    return _restored(act, session_id, build, expected, owed)


def require_reason(act: Act, step: Step) -> None:
    """Hold the rollback to what its project requires.

    While it is built, which is after its idempotency key was looked up: what was
    stored before reasons were required is repeated as it was.

    Raises: ReasonRequired.
    """
    if act.project.needs_rollback_reason and not (step.reasoning or "").strip():
        raise ReasonRequired(param="reasoning")


def _restored(
    act: Act,
    session_id: str,
    build: Build,
    expected: Expected,
    owed: Owed,
    *,
    migrate_to: str | None = None,
) -> Receipt:
    """Append the rollback and say whether its body was verified.

    `build` has refused one that was not. A replay restores nothing, so what was stored
    then is recomputed now. `build` locks the session, until the rollback is there.
    """
    after = None if migrate_to is None else Following(migrate_to)
    with transaction.atomic(), plainly_refused():
        receipt = ledger.append(
            act=act,
            session_id=session_id,
            build=build if after is None else (build, after),
            expected=expected,
            policy=policies.RECOVERY[act.actor.kind],
        )
        if not receipt.is_replay:
            if after is not None:
                after.note_use(act)
            crossed = owed.write(receipt)
            return replace(receipt, verified=True, effects_crossed=crossed)
    made = fetching.version(act.scope, session_id, receipt.number, now=act.now)
    number = receipt.number if receipt.first_number is None else receipt.first_number
    crossed = Compensation.objects.of_rollback(session_id, number).count()
    return replace(receipt, verified=is_intact(made), effects_crossed=crossed)


def _hold_still(head: VersionRow) -> None:
    """Lock the session before the target is read: no removal takes it in between.

    Gates are asked under this lock too; a head that has moved on is a conflict then.
    """
    lock_session(head.session_id)


def _ask_gates(
    act: Act, head: VersionRow, restored: VersionRow, *, undo_of: int | None = None
) -> None:
    asked = hooks.RollbackAsked(
        act=act,
        session_id=head.session_id,
        agent_id=head.agent_id,
        head_number=head.number,
        to=restored.number,
        undo_of=undo_of,
    )
    hooks.ask_rollback(asked)


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
