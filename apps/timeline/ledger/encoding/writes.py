"""Turn what is to be written into rows: what is sealed, changes, facets, events.

Pure computation, done before a connection is held: the SQL functions that store the
result only add the time, the number of a turn, and chain values.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from apps.agents.acts import Act
from apps.agents.remembered import waiting_rules
from apps.agents.waiting import ESCALATING
from apps.core.admission import gate
from apps.core.ids import new_id
from apps.diffs import facets
from apps.diffs.changes import Comparison
from apps.diffs.compare import compare
from apps.diffs.flags import Flag
from apps.diffs.flags import flags as flags_of
from apps.timeline import bodies
from apps.timeline.bodies import Part
from apps.timeline.hooks import Judging
from apps.timeline.ledger.drafts import Draft, Source, Write
from apps.timeline.ledger.encoding import differences, progress, turns
from apps.timeline.ledger.encoding.differences import Difference
from apps.timeline.ledger.encoding.progress import Progress
from apps.timeline.ledger.encoding.shaped import change_of_waiting, shaped
from apps.timeline.ledger.encoding.values import EncodedWrite, NewVersion, Stamp
from apps.timeline.ledger.escalating import marked
from apps.timeline.ledger.events import ACTIONS_OF
from apps.timeline.ledger.facts import index, tasked
from apps.timeline.ledger.facts.repeating import EMPTY, MESSAGES, repeats_failure
from apps.timeline.ledger.facts.tags import SearchTag
from apps.timeline.ledger.judging.showing import judge_turn, judged
from apps.timeline.ledger.sealing import sealer
from apps.timeline.versions import proof, reading
from apps.timeline.versions.proof import SALT_BYTES, STEP_FIELDS
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Op

# What the event of an operation is about, where that is not its version alone.
RESOURCES = dict.fromkeys((Op.CREATE, Op.FORK), "session") | dict.fromkeys(
    (Op.WAIT, Op.DECIDE), "approval"
)
# What a step says of itself by which its session is found, unless its head has said so.
SAID = (
    (SearchTag.RELEASE, "release"),
    (SearchTag.MODEL, "model"),
    (SearchTag.STEP, "step_number"),
    (SearchTag.OBJECTIVE, "objective_status"),
)


# Shows a version to its agent's guards; what it returns is stored in its place.
Judge = Callable[[Draft, Difference, VersionRow], Draft] | None


@dataclass(frozen=True, slots=True)
class Shown:
    """What a version says of the body that it shows; its own has no number yet."""

    commitment: bytes
    size: int
    number: int | None
    flags: list[str]


def encode_write(
    write: Write, *, head: VersionRow, act: Act, judging: Judging | None = None
) -> EncodedWrite:
    """Encode a version or a turn, or both, for the session of `head`.

    Raises: what a guard refuses it with, where any judges.
    """
    number = head.number + (write.draft is not None)
    stamp = Stamp(act=act, session_id=head.session_id, number=number)
    encoded = EncodedWrite(sealer=sealer(act.project, head.session_id, head.user_id))
    if write.draft:
        draft = shaped(write.draft, head, head.agent_id)
        judge = None if judging is None else partial(judged, judging, write.turn)
        _encode_version(encoded, draft, stamp, head, judge)
    elif judging and write.turn:
        judge_turn(judging, write.turn, number)
    if write.turn:
        own_id = event_id(stamp, of_turn=True)
        turns.encode_turn(encoded, write.turn, stamp, own_id)
    return encoded


def _encode_version(
    encoded: EncodedWrite, draft: Draft, stamp: Stamp, head: VersionRow, judge: Judge
) -> None:
    """Seal its own body, if it has one, and compare its state with the head's."""
    shows = draft.body_from or head
    commitment, size, said = shows.commitment, shows.size, EMPTY
    named: dict[str, bytes] = {}
    body_number: int | None = shows.body_number
    if draft.parts is None:
        encoded.shows = shows
    else:
        base = bodies.Base(head.body_number, reading.raw_of(head), head.body_depth)
        body = encode_body(encoded, draft.parts, number=stamp.number, base=base)
        commitment, body_number = body.commitment, None
        named = {part.name: part.data for part in draft.parts}
        size, said = len(named["state"]), named.get(MESSAGES, EMPTY)
    lists_tasks = draft.parts is None or progress.TASKS in named
    if draft.state is None:
        difference = differences.between_bodies(head, shows)
    else:
        before = reading.parsed(head)
        lists_tasks |= progress.TASKS in before or progress.TASKS in draft.state
        if not ESCALATING.isdisjoint(draft.state):
            draft = marked(draft, draft.state, before, waiting_rules(head.agent_id))
        difference = Difference(
            compare(before, draft.state),
            head.leaves or facets.leaves(before),
            facets.leaves(draft.state),
        )
    if judge is not None:
        draft = judge(draft, difference, head)
    flags: list[str] = [*flags_of(difference.comparison, head.size, size)]
    if said != EMPTY or MESSAGES in (draft.state or ()):
        flags += _repeats_failure(said, difference.comparison, head)
    shown = Shown(commitment, size, body_number, flags)
    tasks = named.get(progress.TASKS)
    kept = progress.of_write(draft, head, tasks) if lists_tasks else progress.NONE
    describe(encoded, draft, stamp, shown, difference, kept, head)
    encoded.waits = change_of_waiting(draft, head, difference)
    encoded.leaves = None if draft.state is None else difference.after


def _repeats_failure(
    said: bytes, comparison: Comparison, head: VersionRow
) -> list[Flag]:
    """Flag a version of these messages that makes a failed call again in vain."""
    known = None
    if said != EMPTY:
        known = bodies.part_view(reading.raw_of(head), MESSAGES)
    is_repeated = repeats_failure(known or EMPTY, said, comparison)
    return [Flag.REPEATED] if is_repeated else []


def describe(
    encoded: EncodedWrite,
    draft: Draft,
    stamp: Stamp,
    shown: Shown,
    difference: Difference,
    kept: Progress,
    head: VersionRow | None = None,
) -> None:
    """Fill in the version, its change rows, and by what its session is now found."""
    comparison, key = difference.comparison, bytes(stamp.act.project.index_key)
    encoded.changes, truncated = index.change_rows(comparison, stamp.act.project)
    changes = index.shown(comparison) | {"changes_truncated": truncated}
    encoded.version = new_version(draft, stamp, shown, changes)
    said = [
        *((tag, getattr(draft.step, of), getattr(head, of, None)) for tag, of in SAID),
        (SearchTag.REASON, draft.reason_code, None),
        (SearchTag.OP, draft.op.value, head and head.op),
    ]
    encoded.terms |= index.tags_of(
        key,
        draft,
        head,
        flags=shown.flags,
        is_truncated=truncated,
        said={tag: str(is_) for tag, is_, was in said if is_ not in (None, was)},
    )
    before, after = difference.before, difference.after
    held = index.held(key, before, after)
    is_said_alike = before is not None and (
        (before.objective, before.opening) == (after.objective, after.opening)
    )
    if held or not is_said_alike or kept.has_changed:
        # In clear they would tell of what the state is sealed for.
        encoded.facets = {} if encoded.sealer else facets.cleaned(after) | kept.facets
    encoded.terms |= held
    if kept.before != kept.after:
        encoded.terms |= tasked.terms(key, kept.before, kept.after)


def encode_body(
    encoded: EncodedWrite,
    parts: tuple[Part, ...],
    *,
    number: int,
    base: bodies.Base | None,
    salt: bytes | None = None,
) -> bodies.Stored:
    """Frame, compress and seal the version's own body; return it as it is stored."""
    raw = bodies.frame(parts)
    gate.enter(len(raw))
    salt = salt or secrets.token_bytes(SALT_BYTES)
    body = bodies.encode(raw, number=number, base=base, salt=salt)
    if encoded.sealer is not None:
        body = bodies.sealed(body, encoded.sealer)
    encoded.raw, encoded.body = raw, body
    return body


def new_version(
    draft: Draft, stamp: Stamp, shown: Shown, changes: dict[str, Any]
) -> NewVersion:
    """Return the version that the draft becomes, with its digests and its leaf."""
    step, salt = draft.step, secrets.token_bytes(SALT_BYTES)
    own_id = event_id(stamp)
    claim = claim_of(draft, stamp, shown.commitment, salt, step.trace_id or own_id)
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
        event_id=own_id,
        action=ACTIONS_OF[stamp.act.scope.kind][Op(draft.op)],
        resource_type=RESOURCES.get(Op(draft.op), "version"),
        details=draft.details,
        **(_source_of(draft.source, salt) if draft.source else {}),
    )


def claim_of(
    draft: Draft, stamp: Stamp, commitment: bytes, salt: bytes, trace_id: str
) -> proof.Claim:
    """Return what the leaf of a new version covers."""
    return proof.Claim(
        project_id=stamp.act.project_id,
        session_id=stamp.session_id,
        op=draft.op,
        hold=draft.hold,
        restored_number=draft.restored_number,
        undo_of=draft.undo_of,
        external_id=draft.step.external_id,
        actor_kind=stamp.act.actor.kind,
        actor_id=stamp.act.actor.id,
        trace_id=trace_id,
        request_key=stamp.act.request.key,
        requested_at=stamp.act.now,
        reasoning_digest=proof.salted(salt, draft.step.reasoning),
        step_digest=proof.salted(
            salt, *proof.step_values(draft.step), draft.reason_code
        ),
        commitment=commitment,
        **(_source_of(draft.source, salt) if draft.source else {}),
    )


def _source_of(source: Source, salt: bytes) -> dict[str, Any]:
    """Return the columns of a second parent."""
    return {
        "source_session_id": source.session_id,
        "source_number": source.number,
        "source_digest": None
        if source.choices is None
        else proof.salted(salt, source.choices),
        "source_opaque": source.opaque,
    }


def event_id(stamp: Stamp, *, of_turn: bool = False) -> str:
    """Return an id by which events of one moment sort as they happened.

    By version; what made a version before the turn that came with it.
    """
    sequence = 2 * stamp.number + (2 if of_turn else 1)
    return new_id("trace", now=stamp.act.now, sequence=sequence)
