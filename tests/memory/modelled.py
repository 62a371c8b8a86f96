"""What memories should be, in plain Python: whole states, one after another.

A state is all memories of one owner by their ids. It knows neither entries nor rows,
and keeps every state that there was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

SURE = 0.7
# What another source takes away of the doubt.
REINFORCED = 0.3
ACCEPTED = ("believed", "proposed")


@dataclass(frozen=True)
class Said:
    """One memory: what it says, who said so (None is no session), and how it stands."""

    text: str
    by: str | None = None
    also: tuple[str | None, ...] = ()
    status: str = "believed"
    confidence: float = 1.0
    reinforced: int = 0
    replaced_by: str | None = None
    expires_at: datetime | None = None

    @property
    def is_standing(self) -> bool:
        return self.status in ACCEPTED

    @property
    def plain(self) -> str:
        return " ".join(self.text.casefold().split())

    def again(self, by: str | None, confidence: float) -> Said:
        """Return it as another source said it too; the same one says nothing new."""
        if by in (self.by, *self.also):
            return self
        surer = 1 - (1 - self.confidence) * (1 - REINFORCED)
        is_sure = confidence >= SURE
        return replace(
            self,
            also=(*self.also, by),
            confidence=max(round(surer, 4), confidence),
            status="believed" if is_sure else self.status,
            reinforced=self.reinforced + 1,
        )

    def without(self, session: str) -> Said:
        """Return it without what that session said."""
        others = tuple(one for one in self.also if one != session)
        lost = len(self.also) - len(others)
        if self.by == session:
            if not others:
                return replace(self, also=(), reinforced=0, status="dropped")
            lost += 1
        doubt = (1 - self.confidence) / (1 - REINFORCED) ** lost
        return replace(
            self,
            by=others[0] if self.by == session else self.by,
            also=others[1:] if self.by == session else others,
            confidence=round(max(1 - doubt, 0.0), 4),
            reinforced=max(self.reinforced - lost, 0),
        )


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
                again = replace(after[own_id], status="believed", replaced_by=None)
                after[own_id] = again
        self.become(after)


def living(state: State, now: datetime) -> State:
    return {
        own_id: said
        for own_id, said in state.items()
        if said.expires_at is None or said.expires_at > now
    }
