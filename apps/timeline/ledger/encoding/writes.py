"""Turn what is to be written into rows: what is sealed, changes, facets, events.

Pure computation, done before a connection is held: the SQL functions that store the
result only add the time, the number of a turn, and chain values.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from apps.agents.acts import Act
from apps.agents.remembered import waiting_rules
from apps.agents.waiting import ESCALATING, Rules, asks
from apps.core.admission import gate
from apps.core.ids import new_id
from apps.core.json import Json
from apps.diffs import facets
from apps.diffs.changes import Comparison
from apps.diffs.compare import compare
from apps.diffs.facets import Leaves
from apps.diffs.flags import Flag
from apps.diffs.flags import flags as flags_of
from apps.timeline import bodies
from apps.timeline.bodies import Part
from apps.timeline.ledger.drafts import Draft, Source, Write
from apps.timeline.ledger.encoding import differences, progress, turns
from apps.timeline.ledger.encoding.differences import Difference
from apps.timeline.ledger.encoding.progress import Progress
from apps.timeline.ledger.encoding.shaped import shaped
from apps.timeline.ledger.encoding.values import EncodedWrite, NewVersion, Stamp
from apps.timeline.ledger.escalating import marked
from apps.timeline.ledger.events import ACTIONS
from apps.timeline.ledger.facts import index
from apps.timeline.ledger.facts.index import SearchTag
from apps.timeline.ledger.facts.repeating import EMPTY, MESSAGES, repeats_failure
from apps.timeline.ledger.sealing import sealer
from apps.timeline.versions import proof, reading
from apps.timeline.versions.proof import SALT_BYTES, STEP_FIELDS
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Hold, Op

# A version asks for a human by what its agent's rules find in its state, or with an
# objective status that begins so. The newest version decides, except that a pause and
# a resume say nothing: an agent that asks and then pauses itself still waits. Any other
# write answers it, unless it says so again; so does a rollback to a state that does
# not, because a rollback restores the state and not the objective. A closed, deleted
# or expired session waits for nobody.
OBJECTIVE = "WAITING_FOR"
SILENT = frozenset({Op.PAUSE, Op.RESUME})
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


@dataclass(frozen=True, slots=True)
class Shown:
    """What a version says of the body that it shows; its own has no number yet."""

    commitment: bytes
    size: int
    number: int | None
    flags: list[str]


def encode_write(write: Write, *, head: VersionRow, act: Act) -> EncodedWrite:
    """Encode a version or a turn, or both, for the session of `head`."""
    number = head.number + (write.draft is not None)
    stamp = Stamp(act=act, session_id=head.session_id, number=number)
    encoded = EncodedWrite(sealer=sealer(act.project, head.session_id, head.user_id))
    if write.draft:
        draft = shaped(write.draft, head, head.agent_id)
        _encode_version(encoded, draft, stamp, head)
    if write.turn:
        own_id = event_id(stamp, of_turn=True)
        turns.encode_turn(encoded, write.turn, stamp, own_id)
    return encoded


def _encode_version(
    encoded: EncodedWrite, draft: Draft, stamp: Stamp, head: VersionRow
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
        for part in draft.parts:
            named[part.name] = part.data
        size, said = len(named["state"]), named.get(MESSAGES, EMPTY)
    if draft.state is None:
        difference = differences.between_bodies(head, shows)
    else:
        before = reading.parsed(head)
        if not ESCALATING.isdisjoint(draft.state):
            rules = waiting_rules(head.agent_id)
            draft = marked(draft, draft.state, before, rules)
        difference = Difference(
            compare(before, draft.state),
            head.leaves or facets.leaves(before),
            facets.leaves(draft.state),
        )
    flags = flags_of(difference.comparison, head.size, size)
    may_repeat = said != EMPTY or MESSAGES in (draft.state or ())
    if may_repeat and _repeats_failure(said, difference.comparison, head):
        flags = (*flags, Flag.REPEATED)
    shown = Shown(commitment, size, body_number, list(flags))
    kept = progress.NONE
    if draft.parts is None or progress.TASKS in named:
        kept = progress.of_write(draft, head, named.get(progress.TASKS))
    describe(encoded, draft, stamp, shown, difference, kept, head)
    encoded.waits = _change_of_waiting(draft, head, difference)
    encoded.leaves = None if draft.state is None else difference.after


def _repeats_failure(said: bytes, comparison: Comparison, head: VersionRow) -> bool:
    """Say whether a version of these messages makes a failed call again in vain."""
    known = None
    if said != EMPTY:
        known = bodies.part_view(reading.raw_of(head), MESSAGES)
    return repeats_failure(known or EMPTY, said, comparison)


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
        said={
            tag: str(value)
            for tag, value, known in said
            if value is not None and value != known
        },
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
        action=ACTIONS[Op(draft.op)],
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


def waits(
    state: Mapping[str, Json], objective_status: str | None, rules: Rules
) -> bool:
    """Return whether a version with this state and objective waits for a human."""
    if objective_status is not None and objective_status.startswith(OBJECTIVE):
        return True
    return asks(state, rules)


def _change_of_waiting(
    draft: Draft, head: VersionRow, difference: Difference
) -> bool | None:
    """Return whether the session waits once the draft is stored, None for as before.

    After a pause or a resume the answer may repeat what was known: the versions before
    them are not read for it. A close or a delete ends it by its hold.
    """
    if draft.op in SILENT or draft.hold in (Hold.CLOSED, Hold.DELETED):
        return None
    rules = waiting_rules(head.agent_id)
    shown = draft.body_from or head
    old: Mapping[str, Json] = {}
    new: Mapping[str, Json] = {}
    if draft.state is not None:
        old, new = reading.parsed(head), draft.state
    elif shown.body_number != head.body_number:
        old = _asking(head, difference.before, rules)
        new = _asking(shown, difference.after, rules)
    before = waits(old, head.objective_status, rules)
    after = waits(new, draft.step.objective_status, rules)
    may_differ = before != after or head.op in SILENT
    is_shown_again = draft.state is None and shown.body_number == head.body_number
    if may_differ and is_shown_again and waits(reading.parsed(head), None, rules):
        before = after = True
    return after if before != after or head.op in SILENT else None


def _asking(
    version: VersionRow, leaves: Leaves | None, rules: Rules
) -> Mapping[str, Json]:
    """Return the state; nothing of a large one that has no key by which it asks."""
    if leaves and version.parsed is None:
        written = reading.state(version)
        if not any(rule.may_hold(written) for rule in rules):
            return {}
    return reading.parsed(version)
