"""Writing states: merge keys into the head's state, or set it as a whole."""

from __future__ import annotations

from collections.abc import Sequence

from apps.agents.acts import Act
from apps.core import json
from apps.core.json import State
from apps.diffs.compare import compare
from apps.timeline import hooks, ledger
from apps.timeline.bodies import Part, bundles
from apps.timeline.ledger import gated, naming, policies
from apps.timeline.ledger.drafts import ANY_HEAD, Draft, Expected, Receipt, Write
from apps.timeline.versions import reading
from apps.timeline.versions.reading import Step, VersionRow
from apps.timeline.words import Hold, Op


def update(
    *,
    act: Act,
    session_id: str,
    patch: State,
    remove: Sequence[str] = (),
    parts: tuple[Part, ...] = (),
    step: Step,
    expected: Expected = ANY_HEAD,
) -> Receipt:
    """Merge top-level keys into the head's state, then remove the pointers.

    `null` is stored as null. Without an expected head a writer that loses the race
    merges into the newer head. An update that changes nothing is a version too.

    Raises: UnacceptableJson, PayloadTooLarge, what `ledger.append` or a gate raises.
    """

    def build(head: VersionRow) -> Write:
        before = reading.parsed(head)
        return Write(
            draft=draft_of(
                Op.UPDATE,
                head,
                state=json.merged(before, patch, remove),
                given=parts,
                step=step,
            )
        )

    append = gated.append if hooks.APPEND else ledger.append
    if parts:
        append = naming.appending(append, parts)
    return append(
        act=act,
        session_id=session_id,
        build=build,
        expected=expected,
        policy=policies.WRITE[act.actor.kind],
    )


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

    Raises: UnacceptableJson, PayloadTooLarge, what `ledger.append` or a gate raises.
    """

    def build(head: VersionRow) -> Write:
        return Write(
            draft=draft_of(Op.REPLACE, head, state=state, given=parts, step=step)
        )

    append = gated.append if hooks.APPEND else ledger.append
    if parts:
        append = naming.appending(append, parts)
    return append(
        act=act,
        session_id=session_id,
        build=build,
        expected=expected,
        policy=policies.WRITE[act.actor.kind],
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
