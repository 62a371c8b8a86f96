"""Promote, revert, reapply, restore: one merge with other arguments, as one version.

None of them is a rollback: nothing is set aside, and `restored_number` stays null. Each
takes the head that was shown, so that no write is merged over unseen; to take one back
is an ordinary rollback, exact to the byte.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction

from apps.agents.acts import Act
from apps.blobs import operations as blobs
from apps.core import json, sql
from apps.core.json import Json
from apps.diffs.changes import MISSING
from apps.diffs.merging import Choice
from apps.timeline import hooks, ledger
from apps.timeline.bodies import files
from apps.timeline.errors import MergeConflict, NothingToMerge
from apps.timeline.ledger import naming, policies
from apps.timeline.ledger.drafts import Draft, Expected, Receipt, Source, Write
from apps.timeline.ledger.locking import lock_existing
from apps.timeline.operations.rollbacks import require_reason
from apps.timeline.queries.merging import (
    Combined,
    MergeRequest,
    is_nothing,
    shows_as,
)
from apps.timeline.queries.merging.requests import Sides
from apps.timeline.versions import reading
from apps.timeline.versions.gone import refused_as_conflict, require_still_there
from apps.timeline.versions.reading import Step, VersionRow
from apps.timeline.words import TAKING_BACK, Hold

# After the session's own row: an origin before its fork, as everywhere.
_SHARE = sql.of_session("SELECT 1 FROM timeline_session WHERE id = %s FOR SHARE")


def merge(
    *,
    act: Act,
    session_id: str,
    request: MergeRequest,
    choices: Mapping[str, Choice],
    step: Step,
    expected: Expected,
) -> Receipt:
    """Append a version in which the head and the other side are put together.

    The states are merged before a lock is held. Under it the gates are asked, and
    whether what was merged is still there: no removal takes it in between. An agent
    may not do it while the session is paused: what a conflict becomes is its to say.

    Raises: MergeConflict, ChoiceRefused, NothingToMerge, ReasonRequired, what
    `MergeRequest.sides` and `combine` raise, what a gate refuses it with, and what
    `ledger.append` raises.
    """
    naming_blobs: dict[str, int | None] = {}

    def build(head: VersionRow) -> Write:
        if request.op in TAKING_BACK:
            require_reason(act, step)
        sides = request.sides(act.scope, head, now=act.now)
        combined = request.combine(head, sides, choices)
        if combined.unchosen:
            raise MergeConflict(head=head.number).bringing(combined.conflicts)
        if is_nothing(head, combined):
            raise NothingToMerge(head=head.number)
        naming_blobs.clear()
        naming_blobs.update(_blobs(act, head, sides, combined))
        details = request.details(sides)
        lock_existing(head.session_id)
        _hold_sources(head, sides)
        _ask_gates(act, request, head, combined, details)
        return Write(draft=_draft(request, head, sides, combined, choices, step))

    with transaction.atomic():
        receipt = ledger.append(
            act=act,
            session_id=session_id,
            build=build,
            expected=expected,
            policy=policies.WRITE[act.actor.kind],
        )
        if receipt.made and naming_blobs:
            named = {receipt.number: naming_blobs}
            blobs.name(act=act, session_id=session_id, named=named)
    return receipt


def _draft(
    request: MergeRequest,
    head: VersionRow,
    sides: Sides,
    combined: Combined,
    choices: Mapping[str, Choice],
    step: Step,
) -> Draft:
    is_same = shows_as(head, combined)
    said = request.details(sides)
    if isinstance(said.get("pointers"), list):
        said["pointers"] = len(said["pointers"])
    if choices:
        said["choices"] = _counted(choices)
    return Draft(
        op=request.op,
        hold=Hold(head.hold),
        step=step,
        state=None if is_same else combined.state,
        parts=None if is_same else combined.parts,
        body_from=head if is_same else None,
        source=Source(
            session_id=sides.theirs.session_id,
            number=sides.theirs.number,
            choices=_written(choices) if choices else None,
            opaque=combined.takes_opaque or None,
        ),
        details=said,
    )


def _counted(choices: Mapping[str, Choice]) -> dict[str, Json]:
    counted: dict[str, Json] = {}
    for choice in choices.values():
        counted[choice.pick.value] = counted.get(choice.pick.value, 0) + 1
    return counted


def _written(choices: Mapping[str, Choice]) -> str:
    """Write down what was chosen, in one order."""
    chosen = {
        id: [choice.pick.value]
        if choice.value is MISSING
        else [choice.pick.value, choice.value]
        for id, choice in sorted(choices.items())
    }
    return json.dumps(chosen).decode()


def _blobs(
    act: Act, head: VersionRow, sides: Sides, combined: Combined
) -> dict[str, int | None]:
    """Return what the result names of blobs and the head does not, leased.

    Raises: BlobMissing, UnacceptableJson.
    """
    carried = files.chunks_of(reading.parts_beside(head))
    named = files.chunks_of(combined.parts or ())
    fresh = {digest: size for digest, size in named.items() if digest not in carried}
    if fresh:
        naming.leased(act, [fresh]).request.require_sound()
        known = dict(carried)
        for one in (sides.base, sides.theirs):
            known |= files.chunks_of(reading.parts_beside(one))
        blobs.require_granted(act=act, digests=fresh, carried=known)
    return fresh


def _hold_sources(head: VersionRow, sides: Sides) -> None:
    """Keep removals from what was merged, and refuse where one came first.

    Raises: VersionPruned, ContentsErased, SessionNotFound.
    """
    held = {head.session_id}
    with refused_as_conflict():
        for one in (sides.base, sides.theirs):
            if one.session_id not in held:
                sql.rows(_SHARE, [one.session_id])
                held.add(one.session_id)
            require_still_there(one)


def _ask_gates(
    act: Act,
    request: MergeRequest,
    head: VersionRow,
    combined: Combined,
    details: Mapping[str, Json],
) -> None:
    """Raises: whatever a gate refuses it with."""
    if hooks.APPEND:
        hooks.ask_append(
            hooks.AppendAsked(
                act=act,
                session_id=head.session_id,
                agent_id=head.agent_id,
                head_number=head.number,
                op=request.op,
            )
        )
    hooks.ask_merge(
        hooks.MergeAsked(
            act=act,
            session_id=head.session_id,
            agent_id=head.agent_id,
            head_number=head.number,
            op=request.op.value,
            arguments=details,
            result=combined.state or {},
        )
    )
