"""Writing states: merge keys into the head's state, or set it as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from apps.agents.acts import Act
from apps.core import json
from apps.core.json import Operation, State
from apps.diffs.compare import compare
from apps.timeline import hooks, ledger
from apps.timeline.bodies import Part, bundles
from apps.timeline.errors import VersionConflict, VersionMismatch
from apps.timeline.ledger import gated, naming, policies
from apps.timeline.ledger.drafts import ANY_HEAD, Draft, Edit, Expected, Receipt, Write
from apps.timeline.ledger.facts.about import About
from apps.timeline.operations.sessions import Origin, fork, version_of
from apps.timeline.versions import reading
from apps.timeline.versions.reading import Step, VersionRow
from apps.timeline.words import Hold, Op


def update(
    *,
    act: Act,
    session_id: str,
    patch: State | None = None,
    remove: Sequence[str] = (),
    operations: Sequence[Operation] = (),
    parts: tuple[Part, ...] = (),
    step: Step,
    expected: Expected = ANY_HEAD,
) -> Receipt:
    """Merge top-level keys into the head's state, remove pointers, make operations.

    `null` is stored as null. Without an expected head a writer that loses the race
    merges into the newer head. An update that changes nothing is a version too.

    Raises: UnacceptableJson, PatchFailed, PayloadTooLarge, what `ledger.append` or a
    gate raises; of a write that becomes a fork, what `fork` raises.
    """

    def build(head: VersionRow) -> Write:
        state = json.merged(reading.parsed(head), patch or {}, remove)
        if operations:
            state = json.patched(state, operations)
        draft = draft_of(Op.UPDATE, head, state=state, given=parts, step=step)
        return Write(draft=draft)

    return _written(act, session_id, expected, build, parts, step)


def replace(
    *,
    act: Act,
    session_id: str,
    state: State,
    parts: tuple[Part, ...] = (),
    step: Step,
    expected: Expected = ANY_HEAD,
) -> Receipt:
    """Set the state as a whole; parts that are not given stay as they are.

    Raises: UnacceptableJson, PayloadTooLarge, what `ledger.append` or a gate raises;
    of a write that becomes a fork, what `fork` raises.
    """

    def build(head: VersionRow) -> Write:
        draft = draft_of(Op.REPLACE, head, state=state, given=parts, step=step)
        return Write(draft=draft)

    return _written(act, session_id, expected, build, parts, step)


def _written(
    act: Act,
    session_id: str,
    expected: Expected,
    build: Callable[[VersionRow], Write],
    parts: tuple[Part, ...],
    step: Step,
) -> Receipt:
    """Append what is built, or begin a fork with it where that was asked for."""
    append = gated.append if hooks.APPEND else ledger.append
    if parts:
        append = naming.appending(append, parts)
    try:
        return append(
            act=act,
            session_id=session_id,
            build=build,
            expected=expected,
            policy=policies.WRITE[act.actor.kind],
        )
    except (VersionConflict, VersionMismatch) as conflict:
        return _forked(act, session_id, expected, conflict, build, parts, step)


def _forked(
    act: Act,
    session_id: str,
    expected: Expected,
    conflict: VersionConflict | VersionMismatch,
    build: Callable[[VersionRow], Write],
    parts: tuple[Part, ...],
    step: Step,
) -> Receipt:
    """Begin a session with what the write makes of the version it was built on.

    Repeated with the same key, the write finds no version under it, conflicts as
    before, and meets the session that the key made.

    Raises: the conflict, unless a fork was asked for; what `fork` raises.
    """
    seen = expected.number
    # A number that is still to come is no version to go on from.
    if not expected.else_fork or seen is None or seen > conflict.details["head"]:
        raise conflict
    origin = Origin(session_id=session_id, number=seen)
    draft = build(version_of(act, origin)).draft
    state = None if draft is None else draft.state
    return fork(
        act=act,
        origin=origin,
        edit=Edit(state=state, parts=parts),
        about=About(),
        step=step,
    )


def draft_of(
    op: Op, head: VersionRow, *, state: State, given: tuple[Part, ...], step: Step
) -> Draft:
    """Return the draft of a new bundle; one without a difference stores no bytes."""
    carried = reading.parts(head)
    parts = bundles.assembled(state, before=head.parsed, carried=carried, given=given)
    if parts == carried:
        return Draft(op=op, hold=Hold(head.hold), step=step, body_from=head)
    return Draft(op=op, hold=Hold(head.hold), step=step, state=state, parts=parts)


def differs(head: VersionRow, state: State | None, given: tuple[Part, ...]) -> bool:
    """Say whether this state or these parts are other than the head's."""
    carried = reading.parts(head)
    if any(part not in carried for part in given):
        return True
    if state is None:
        return False
    return bool(compare(reading.parsed(head), state))
