"""What memories should be, in plain Python: whole states, one after another.

A state is all memories of one owner by their ids. It knows neither entries nor rows,
and keeps every state that there was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

SURE = 0.7
# The surest that is not believed.
UNSURE = 0.69
# What another source takes away of the doubt.
REINFORCED = 0.3
ACCEPTED = ("believed", "proposed")


@dataclass(frozen=True)
class Said:
    """One memory: what it says, who said so (None is no session), and how it stands."""

    text: str
    by: str | None = None
    # Who said it again, and how sure each of all was who said it, in their order.
    also: tuple[str | None, ...] = ()
    status: str = "believed"
    confidence: float = 1.0
    reinforced: int = 0
    replaced_by: str | None = None
    expires_at: datetime | None = None
    # How sure somebody decided that it is, and after how many had said it.
    decided: float | None = None
    decided_after: int = 0
    sure: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not self.sure:
            object.__setattr__(self, "sure", (self.confidence,))

    @property
    def is_standing(self) -> bool:
        return self.status in ACCEPTED

    @property
    def plain(self) -> str:
        return " ".join(self.text.casefold().split())

    def settled(self, confidence: float) -> Said:
        """Return it as sure as somebody decides, whatever was said until then."""
        return replace(
            self,
            confidence=confidence,
            decided=confidence,
            decided_after=1 + len(self.also),
        )

    def again(self, by: str | None, confidence: float) -> Said:
        """Return it as another source said it too; the same one only gets sure."""
        if by in (self.by, *self.also):
            return self.surely(by, confidence)
        said = replace(
            self,
            also=(*self.also, by),
            sure=(*self.sure, confidence),
            reinforced=self.reinforced + 1,
        )
        return said.judged()

    def surely(self, by: str | None, confidence: float) -> Said:
        """Return a proposal that its own source, not yet decided about, is sure of."""
        place = (self.by, *self.also).index(by)
        is_decided = self.decided is not None and place < self.decided_after
        if self.status != "proposed" or confidence < SURE or is_decided:
            return self
        sure = (*self.sure[:place], confidence, *self.sure[place + 1 :])
        return replace(self, sure=sure).judged()

    def judged(self) -> Said:
        """Return it as sure as all that was said and decided makes it."""
        heard = self.sure if self.decided is None else self.sure[self.decided_after :]
        first, *more = heard if self.decided is None else (self.decided, *heard)
        confidence, is_believed = first, first >= SURE
        for one in more:
            surer = round(1 - (1 - confidence) * (1 - REINFORCED), 4)
            is_believed = is_believed or one >= SURE
            confidence = max(surer, one)
            if not is_believed:
                confidence = min(confidence, UNSURE)
        status = "believed" if is_believed else "proposed"
        return replace(
            self,
            confidence=confidence,
            status=status if self.is_standing else self.status,
        )

    def without(self, session: str) -> Said:
        """Return it as if that session had never spoken; dropped if only it did."""
        everyone = (self.by, *self.also)
        left = [place for place, one in enumerate(everyone) if one != session]
        if not left:
            return replace(self, also=(), sure=(), reinforced=0, status="dropped")
        said = replace(
            self,
            by=everyone[left[0]],
            also=tuple(everyone[place] for place in left[1:]),
            sure=tuple(self.sure[place] for place in left),
            reinforced=self.reinforced - (len(everyone) - len(left)),
            decided_after=sum(place < self.decided_after for place in left),
        )
        return said.judged()


State = dict[str, Said]


@dataclass
class Owned:
    """Every state of one owner's memories, and the document's version of each."""

    states: list[State] = field(default_factory=lambda: [{}])
    numbers: list[int] = field(default_factory=lambda: [0])

    def at(self, now: datetime) -> State:
        """Return what there is: what has expired is not there."""
        return living(self.states[-1], now)

    def become(self, state: State) -> None:
        if state != self.states[-1]:
            self.states.append(state)
            self.numbers.append(self.numbers[-1])

    def change(self, now: datetime, **changed: Said) -> None:
        self.become(self.at(now) | changed)

    def alter(self, own_id: str, now: datetime, to: Callable[[Said], Said]) -> None:
        self.change(now, **{own_id: to(self.at(now)[own_id])})

    def equal(self, text: str, now: datetime) -> str | None:
        """Return the memory that says the same."""
        plain = Said(text).plain
        for own_id, said in sorted(self.at(now).items()):
            if said.is_standing and said.plain == plain:
                return own_id
        return None

    def forget(self, session: str, now: datetime) -> None:
        before = self.at(now)
        after = dict(before)
        for own_id, said in before.items():
            if said.status != "dropped" and session in (said.by, *said.also):
                after[own_id] = said.without(session)
        gone = {
            own_id
            for own_id, said in after.items()
            if said.status == "dropped" and said != before[own_id]
        }
        for own_id, said in before.items():
            is_theirs = said.status == "replaced" and said.replaced_by in gone
            if is_theirs and own_id not in gone:
                status = "believed" if said.confidence >= SURE else "proposed"
                again = replace(after[own_id], status=status, replaced_by=None)
                after[own_id] = again
        self.become(after)


def living(state: State, now: datetime) -> State:
    return {
        own_id: said
        for own_id, said in state.items()
        if said.expires_at is None or said.expires_at > now
    }
