"""Verifies the turns of a session after its versions, oldest first.

`problems` is pure and sees one turn and the one before it; `TurnWalk` reads them, some
megabytes at a time. Turns from before there was a chain of turns prove nothing and are
no damage: they are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import chain

from django.db import DataError

from apps.core.admission import gate
from apps.core.admission.work import BYTES_A_UNIT, WorkBudget
from apps.timeline import bodies
from apps.timeline.bodies import CorruptBody
from apps.timeline.errors import TurnNotFound
from apps.timeline.hooks import used
from apps.timeline.models import Tombstone
from apps.timeline.verification import rows
from apps.timeline.verification.findings import Finding, Kind, Problems, TurnReport
from apps.timeline.verification.removals import NONE, Removals, hollow_turn
from apps.timeline.verification.rows import StoredTurn
from apps.timeline.versions import proof
from apps.timeline.words import Op

CHUNK = 200
# What a turn takes beside its bytes.
TURN = 100


class TurnWalk:
    """One pass over turns, within the budget of the pass over the versions."""

    def __init__(self, session_id: str, budget: WorkBudget) -> None:
        self.session_id = session_id
        self.budget = budget
        self.count = self.unchained = 0
        self.has_more = False
        self.before: StoredTurn | None = None
        self.removed = NONE
        self._passed: Tombstone | None = None
        self.chain_start = self.chain_end

    def begin_after(self, turn_number: int) -> None:
        """Begin with the turn that follows this one.

        Raises: TurnNotFound.
        """
        found = rows.turns(self.session_id, after=turn_number - 1, limit=1)
        if not found or found[0].turn_number != turn_number:
            raise TurnNotFound(
                f"This session has no turn {turn_number}.", param="after_turn"
            )
        self.before = found[0]
        self.chain_start = self.chain_end

    @property
    def last_number(self) -> int:
        return self.before.turn_number if self.before else 0

    @property
    def chain_end(self) -> bytes:
        """Return what the chain of the next turn must build on."""
        if self._passed is not None and self._passed.turn_chain_after is not None:
            return bytes(self._passed.turn_chain_after)
        if self.before is None or self.before.chain is None:
            return proof.before_turns(self.session_id)
        return self.before.chain

    def report(self) -> TurnReport:
        return TurnReport(
            count=self.count,
            unchained=self.unchained,
            last_number=self.last_number,
            has_more=self.has_more,
            chain_start=self.chain_start,
            chain_end=self.chain_end,
        )

    def findings(
        self, told: Callable[[], None], *, is_alone: bool
    ) -> Iterator[Finding]:
        """Yield what does not hold; with `is_alone`, look at one turn in any case."""
        count = CHUNK
        while (is_alone and not self.count) or not self.budget.is_spent:
            after = self.last_number
            try:
                chunk = rows.turns(self.session_id, after=after, limit=count)
            except (DataError, UnicodeDecodeError):
                # Among many, one turn cannot be read: find out which.
                if count == 1:
                    yield self._unreadable(after + 1)
                    return
                count = 1
                continue
            if not chunk:
                break
            yield from self._verified(chunk)
            told()
        yield from self._end()

    def _verified(self, chunk: list[StoredTurn]) -> Iterator[Finding]:
        for turn in chunk:
            yield from self._crossed()
            self.budget.spend(TURN + turn.size // BYTES_A_UNIT)
            gate.enter(turn.size)
            before = None if self._passed else self.before
            expected = self._next_number
            for kind, sentence in problems(
                turn, before, self.chain_end, expected, self.removed
            ):
                yield self._finding(turn.turn_number, kind, sentence)
            self.unchained += is_unchained(turn)
            self.count += 1
            self.before, self._passed = turn, None
            if self.budget.is_spent:
                return

    @property
    def _next_number(self) -> int:
        passed = self._passed
        return 1 + (self.last_number if passed is None else passed.last_turn)

    def _crossed(self) -> Iterator[Finding]:
        """Go on from the tombstones whose turns stand where the next one would."""
        while stone := self.removed.at_turn(self._next_number):
            before = stone.turn_chain_before
            if before is not None and bytes(before) != self.chain_end:
                sentence = "its tombstone does not follow from the chain before it"
                yield self._finding(stone.first_turn, Kind.CHAIN, sentence)
            self._passed = stone

    def _end(self) -> Iterator[Finding]:
        if rows.is_turn_followed(self.session_id, self.last_number):
            self.has_more = True
            return
        for number, turn_number in rows.strays(self.session_id):
            if turn_number is not None:
                yield self._finding(turn_number, Kind.NUMBER, "turns count from 1")
            else:
                yield Finding(
                    session_id=self.session_id,
                    number=number,
                    kind=Kind.TURN,
                    sentence="the turn that made it is missing",
                )

    def _unreadable(self, turn_number: int) -> Finding:
        sentence = "it holds a value that its column cannot have"
        return self._finding(turn_number, Kind.UNREADABLE, sentence)

    def _finding(self, turn_number: int, kind: Kind, sentence: str) -> Finding:
        return Finding(
            session_id=self.session_id,
            number=None,
            turn=turn_number,
            kind=kind,
            sentence=sentence,
        )


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
