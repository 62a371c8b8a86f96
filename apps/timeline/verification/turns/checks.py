"""What is wrong with a turn, seen beside the one before it: pure.

Turns from before there was a chain of turns prove nothing and are no damage: they are
counted.
"""

from __future__ import annotations

from datetime import datetime
from itertools import chain

from apps.timeline import bodies
from apps.timeline.bodies import CorruptBody
from apps.timeline.hooks import used
from apps.timeline.verification.findings import Kind, Problems
from apps.timeline.verification.removals import NONE, Removals, hollow_turn
from apps.timeline.verification.rows import StoredTurn
from apps.timeline.versions import proof
from apps.timeline.words import Op


def is_unchained(turn: StoredTurn) -> bool:
    """Whether it came before there was a chain of turns: it has none of the proof."""
    return not any(one is not None for one in _proof(turn))


def problems(
    turn: StoredTurn,
    before: StoredTurn | None,
    previous_chain: bytes,
    expected: int,
    removed: Removals = NONE,
) -> Problems:
    """Yield all that is wrong; `previous_chain` is what its chain must build on."""
    return chain(
        _numbering(turn, expected),
        _chaining(turn, before, previous_chain),
        _claims(turn),
        _spending(turn, before, is_first=before is None and expected == 1),
        _heading(turn, before, is_first=before is None and expected == 1),
        hollow_turn(turn) if removed.emptied_turn(turn) else _contents(turn),
    )


def _proof(turn: StoredTurn) -> tuple[object, ...]:
    return (
        *(turn.salt, turn.reasoning_digest, turn.commitment),
        *(turn.leaf, turn.chain, turn.requested_at),
    )


def _numbering(turn: StoredTurn, expected: int) -> Problems:
    if turn.turn_number != expected:
        yield Kind.NUMBER, f"turn {expected} is missing before it"


def _chaining(
    turn: StoredTurn, before: StoredTurn | None, previous_chain: bytes
) -> Problems:
    if is_unchained(turn):
        if before is not None and not is_unchained(before):
            yield Kind.CHAIN, "it has no proof, and the turn before it has"
        return
    if None in _proof(turn):
        yield Kind.LEAF, "a part of its proof is missing"
    if turn.leaf is None or turn.chain is None:
        return
    expected = proof.turn_chain(previous_chain, turn.turn_number, turn.leaf)
    if expected != turn.chain:
        yield Kind.CHAIN, "its chain does not follow from the one before and its leaf"


def _claims(turn: StoredTurn) -> Problems:
    digest, commitment = turn.reasoning_digest, turn.commitment
    if turn.requested_at is None or digest is None or commitment is None:
        return
    claim = proof.TurnClaim(
        project_id=turn.project_id,
        session_id=turn.session_id,
        id=turn.id,
        head_number=turn.head_number,
        made_version=turn.made_version,
        before_number=turn.before_number,
        state_after_sent=turn.state_after_sent,
        actor_kind=turn.actor_kind,
        actor_id=turn.actor_id,
        trace_id=turn.trace_id,
        input_type=turn.input_type,
        output_type=turn.output_type,
        request_key=turn.request_key,
        requested_at=turn.requested_at,
        reasoning_digest=digest,
        commitment=commitment,
        usage=turn.usage,
    )
    if turn.leaf is not None and claim.leaf() != turn.leaf:
        yield Kind.LEAF, "its leaf does not follow from what it claims"


def _spending(
    turn: StoredTurn, before: StoredTurn | None, *, is_first: bool
) -> Problems:
    """Add up the totals again; after what a removal took they are not known."""
    if before is None and not is_first:
        return
    expected = used.total(before.spent if before else None, turn.usage)
    if turn.spent != expected:
        yield Kind.TURN, "its totals do not follow from those before and what it used"


def _heading(
    turn: StoredTurn, before: StoredTurn | None, *, is_first: bool
) -> Problems:
    """Compare the turn with the version that it left as the head."""
    head = f"v{turn.head_number}"
    if turn.head_op is None or turn.head_created_at is None:
        yield Kind.TURN, f"{head}, which it left as the head, is missing"
        return
    if turn.made_version and turn.head_op != Op.TURN:
        yield Kind.TURN, f"{head} was not made by a turn"
    if before is not None and before.head_number + turn.made_version > turn.head_number:
        yield Kind.TURN, f"it cannot have left {head} after v{before.head_number}"
    if turn.before_number not in (None, turn.head_number - turn.made_version):
        yield Kind.TURN, f"it cannot have begun with v{turn.before_number}"
    # After what a removal took it is not known what the turn could not precede.
    if before is not None or is_first:
        yield from _timing(turn, before, turn.head_created_at)


def _timing(turn: StoredTurn, before: StoredTurn | None, head_at: datetime) -> Problems:
    # The append takes the latest of these, so that time never runs backwards.
    if turn.requested_at is None:
        return
    expected = max(turn.requested_at, head_at)
    if before is not None:
        expected = max(expected, before.created_at)
        if turn.created_at < before.created_at:
            yield Kind.TIME, "it is older than the turn before it"
            return
    if turn.created_at != expected:
        yield Kind.TIME, "it was not stored when it was asked for"


def _contents(turn: StoredTurn) -> Problems:
    """Decode the parts and compare them with the commitment, and the text likewise."""
    try:
        place = bodies.Place(turn.session_id, turn.salt or b"")
        raw = bodies.decode(turn.codec, turn.data, turn.size, None, place)
        if turn.salt is not None and turn.commitment is not None:
            bodies.verify(raw, turn.salt, turn.commitment)
    except CorruptBody as error:
        yield Kind.BODY, f"its parts: {error}"
    if turn.salt is None or turn.reasoning_digest is None:
        return
    if proof.salted(turn.salt, turn.reasoning) != turn.reasoning_digest:
        yield Kind.TEXT, "its reasoning is not what was digested"
