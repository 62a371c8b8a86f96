"""Turn what is to be written into rows: body, digests, changes, facets, events.

Pure computation, done before a connection is held: the SQL functions that store the
result only add the time, the number of a turn, and chain values.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.core import json
from apps.core.admission import gate
from apps.core.json import State
from apps.diffs import facets
from apps.diffs.changes import Comparison
from apps.diffs.compare import compare
from apps.diffs.facets import Leaves
from apps.diffs.flags import flags
from apps.timeline import bodies
from apps.timeline.ledger.drafts import Draft, TurnDraft, Write
from apps.timeline.ledger.encoding import differences
from apps.timeline.ledger.encoding.claims import STEP_FIELDS, claim_of, turn_claim_of
from apps.timeline.ledger.encoding.values import EncodedWrite, NewTurn, NewVersion
from apps.timeline.ledger.events import NewEvent, Stamp, version_event
from apps.timeline.ledger.facts import marks, terms, waiting
from apps.timeline.ledger.facts.terms import SearchTag
from apps.timeline.versions import reading
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Op


def encode_write(write: Write, *, head: VersionRow, act: Act) -> EncodedWrite:
    """Encode a version or a turn, or both, for the session of `head`."""
    number = head.number + (write.draft is not None)
    stamp = Stamp(act=act, session_id=head.session_id, number=number)
    encoded = EncodedWrite()
    if write.draft:
        _encode_version(encoded, write.draft, stamp, head)
    if write.turn:
        _encode_turn(encoded, write.turn, stamp)
    return encoded


def encode_first(
    draft: Draft,
    stamp: Stamp,
    *,
    state: State,
    before: State,
    salt: bytes | None = None,
) -> EncodedWrite:
    """Encode version 0 of a new session; a fork that copies a body keeps its salt.

    `before` is what its changes are compared with: nothing, or the origin's state.
    """
    encoded = EncodedWrite()
    parts = draft.parts or ()
    encoded.raw = bodies.frame(parts)
    gate.enter(len(encoded.raw))
    body = bodies.encode(encoded.raw, number=0, base=None, salt=salt or new_salt())
    encoded.body = body
    size = len(reading.state_part(parts))
    shown = _Shown(body.commitment, size, 0, [])
    _describe(encoded, draft, stamp, shown, compare(before, state))
    _index_head(encoded, None, facets.leaves(state), stamp)
    if draft.op is Op.FORK:
        _index_carried(encoded, state, stamp)
    encoded.waits = waiting.waits(state, draft.step.objective_status)
    return encoded


def new_salt() -> bytes:
    return secrets.token_bytes(32)


@dataclass(frozen=True, slots=True)
class _Shown:
    """What a version says of the body that it shows."""

    commitment: bytes
    size: int
    number: int | None
    flags: list[str]


def _encode_version(
    encoded: EncodedWrite, draft: Draft, stamp: Stamp, head: VersionRow
) -> None:
    shows = draft.body_from or head
    commitment, size = shows.commitment, shows.size
    body_number: int | None = shows.body_number
    if draft.parts is None:
        encoded.shows = shows
    else:
        encoded.raw = bodies.frame(draft.parts)
        gate.enter(len(encoded.raw))
        encoded.body = bodies.encode(
            encoded.raw,
            number=stamp.number,
            base=reading.base_of(head),
            salt=new_salt(),
        )
        commitment, body_number = encoded.body.commitment, None
        size = len(reading.state_part(draft.parts))
    difference = differences.made_by(draft, head)
    comparison = difference.comparison
    shown = _Shown(
        commitment, size, body_number, list(flags(comparison, head.size, size))
    )
    _describe(encoded, draft, stamp, shown, comparison)
    _index_head(encoded, difference.before, difference.after, stamp)
    encoded.waits = waiting.change(draft, head, difference)
    encoded.leaves = None if draft.state is None else difference.after


def _describe(
    encoded: EncodedWrite,
    draft: Draft,
    stamp: Stamp,
    shown: _Shown,
    comparison: Comparison,
) -> None:
    """Fill in the version, its change rows and the tags that it gives its session."""
    encoded.changes, truncated = marks.marks(comparison, stamp.act.project)
    changes = marks.shown(comparison) | {"changes_truncated": truncated}
    encoded.version = _version(draft, stamp, shown, changes)
    encoded.terms |= terms.of_version(
        _key(stamp),
        op=draft.op,
        flags=shown.flags,
        is_truncated=truncated,
        external_id=draft.step.external_id,
        trace_id=draft.step.trace_id,
    )


def _version(
    draft: Draft, stamp: Stamp, shown: _Shown, changes: dict[str, Any]
) -> NewVersion:
    step, salt, event_id = draft.step, new_salt(), stamp.event_id()
    claim = claim_of(draft, stamp, shown.commitment, salt, step.trace_id or event_id)
    return NewVersion(
        op=draft.op,
        hold=draft.hold,
        restored_number=draft.restored_number,
        undo_of=draft.undo_of,
        reason_code=draft.reason_code,
        external_id=step.external_id,
        reasoning=step.reasoning,
        trace_id=claim.trace_id,
        **{name: getattr(step, name) for name in STEP_FIELDS},
        **changes,
        size=shown.size,
        flags=shown.flags,
        body_number=shown.number,
        request_key=stamp.act.request.key,
        salt=salt,
        reasoning_digest=claim.reasoning_digest,
        step_digest=claim.step_digest,
        commitment=shown.commitment,
        leaf=claim.leaf(),
        event=version_event(draft, event_id),
    )


def _index_head(
    encoded: EncodedWrite, before: Leaves | None, after: Leaves, stamp: Stamp
) -> None:
    """Let the session be found by what its head holds now."""
    changed = terms.held(_key(stamp), before, after)
    if changed or before is None:
        encoded.facets = facets.cleaned(after)
    encoded.terms |= changed


def _index_carried(encoded: EncodedWrite, state: State, stamp: Stamp) -> None:
    """Let a fork be found by the values that it brought along."""
    encoded.terms |= terms.tagged(_key(stamp), SearchTag.FORKED)
    if marks.carry(encoded.changes, state, stamp.act.project):
        encoded.terms |= terms.tagged(_key(stamp), SearchTag.TRUNCATED)


def _key(stamp: Stamp) -> bytes:
    return bytes(stamp.act.project.index_key)


def _encode_turn(encoded: EncodedWrite, turn: TurnDraft, stamp: Stamp) -> None:
    event_id = stamp.event_id(of_turn=True)
    details = {"input_type": turn.input_type, "output_type": turn.output_type}
    claim = turn_claim_of(
        turn,
        stamp,
        made_version=encoded.version is not None,
        trace_id=turn.step.trace_id or event_id,
    )
    encoded.turn = NewTurn(
        draft=turn,
        trace_id=claim.trace_id,
        made_version=claim.made_version,
        reasoning_digest=claim.reasoning_digest,
        leaf=claim.leaf(),
        event=NewEvent(
            id=event_id,
            action=Action.TURN_ADDED,
            resource_type="turn",
            details=json.cleaned(details | turn.facts),
        ),
    )
    if turn.step.trace_id is not None:
        given = [turn.step.trace_id]
        encoded.terms |= terms.tagged(_key(stamp), SearchTag.TRACE, given)
