"""One pass over the turns of a session, oldest first, some megabytes at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from django.db import DataError

from apps.core.admission import gate
from apps.core.admission.work import BYTES_A_UNIT, WorkBudget
from apps.timeline.errors import TurnNotFound
from apps.timeline.models import Tombstone
from apps.timeline.verification import rows
from apps.timeline.verification.findings import Finding, Kind, TurnReport
from apps.timeline.verification.removals import NONE
from apps.timeline.verification.rows import StoredTurn
from apps.timeline.verification.turns.checks import is_unchained, problems
from apps.timeline.versions import proof

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
