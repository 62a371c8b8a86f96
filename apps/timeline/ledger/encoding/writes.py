"""Encode what is to be written: its body, changes and facets, and whether it waits.

Pure computation, done before a connection is held: the SQL functions that store the
result only add the time, the number of a turn, and chain values.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from functools import partial

from apps.accounts import encryption
from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.agents.remembered import waiting_rules
from apps.agents.waiting import ESCALATING, Rules, asks
from apps.core.admission import gate
from apps.core.json import Json
from apps.diffs import facets
from apps.diffs.changes import Comparison
from apps.diffs.compare import compare
from apps.diffs.facets import Leaves
from apps.diffs.flags import Flag
from apps.diffs.flags import flags as flags_of
from apps.timeline import bodies
from apps.timeline.bodies import Part, Sealer
from apps.timeline.hooks import Judging
from apps.timeline.ledger.drafts import Draft, Write
from apps.timeline.ledger.encoding import differences, progress, rows, turns
from apps.timeline.ledger.encoding.differences import Difference
from apps.timeline.ledger.encoding.progress import Progress
from apps.timeline.ledger.encoding.values import EncodedWrite, Shown, Stamp
from apps.timeline.ledger.escalating import marked
from apps.timeline.ledger.facts import index, tasked
from apps.timeline.ledger.facts.repeating import EMPTY, MESSAGES, repeats_failure
from apps.timeline.ledger.facts.tags import SearchTag
from apps.timeline.ledger.judging.showing import judge_turn, judged
from apps.timeline.versions import reading
from apps.timeline.versions.proof import SALT_BYTES
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import WAITING_FOR, Hold, Op

# A version asks for a human by what its agent's rules find in its state, or with an
# objective status that begins so. The newest version decides, except that a pause and
# a resume say nothing: an agent that asks and then pauses itself still waits. Any other
# write answers it, unless it says so again; so does a rollback to a state that does
# not, because what asks for a person is not carried on by it. A closed, deleted
# or expired session waits for nobody.
SILENT = frozenset({Op.PAUSE, Op.RESUME})
# What a step says of itself by which its session is found, unless its head has said so.
SAID = (
    (SearchTag.RELEASE, "release"),
    (SearchTag.MODEL, "model"),
    (SearchTag.STEP, "step_number"),
    (SearchTag.OBJECTIVE, "objective_status"),
)
# Shows a version to its agent's guards; what it returns is stored in its place.
Judge = Callable[[Draft, Difference, VersionRow], Draft] | None


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
        draft = rows.shaped(write.draft, head, head.agent_id)
        judge = None if judging is None else partial(judged, judging, write.turn)
        _encode_version(encoded, draft, stamp, head, judge)
    elif judging and write.turn:
        judge_turn(judging, write.turn, number)
    if write.turn:
        own_id = rows.event_id(stamp, of_turn=True)
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
    encoded.version = rows.new_version(draft, stamp, shown, changes)
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


def waits(
    state: Mapping[str, Json], objective_status: str | None, rules: Rules
) -> bool:
    """Return whether a version with this state and objective waits for a human."""
    if objective_status is not None and objective_status.startswith(WAITING_FOR):
        return True
    return asks(state, rules)


def change_of_waiting(
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


def sealer(
    project: Project,
    session_id: str,
    user_id: str | None = None,
    *,
    is_beginning: bool = False,
) -> Sealer | None:
    """Return what seals a session's bodies: the key of its end user, or the project's.

    None, and nothing is asked of anybody, where the project does not encrypt.

    Raises: KeysUnavailable.
    """
    key = encryption.sealing_key(project, user_id, is_beginning=is_beginning)
    return None if key is None else Sealer(key, session_id)


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
