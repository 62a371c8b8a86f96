"""Looks into the states of candidates, and no further than a budget."""

from __future__ import annotations

from collections.abc import Sequence

from apps.blobs.errors import ObjectsUnavailable
from apps.checks import Check, Outcome, evaluate, names_before
from apps.core.admission.work import PAGE
from apps.timeline.bisect.history import History, Place
from apps.timeline.bisect.spacing import Seen
from apps.timeline.search.states import MOST_STATES, Reader, States

# So many are read with one statement, if they are small.
AT_ONCE = 128
# Without a second one a walk would never get on.
LEAST = 2


class Looker:
    """Evaluates a check on candidates of a history, counting what it takes."""

    def __init__(self, check: Check, history: History) -> None:
        self._check = check
        self._history = history
        self._looks_back = names_before(check)
        self._states = States()
        self._n_seen = 0
        # Candidates with a state that cannot be read, though it is there.
        self.unreadable: list[Place] = []

    @property
    def looked_into(self) -> int:
        return self._states.allowance.looked_into

    def affords(self, count: int) -> bool:
        """Say whether so many can be looked into, by those that were."""
        each = self._states.allowance.budget.done / max(1, self._n_seen)
        states = count * (2 if self._looks_back else 1)
        return states <= MOST_STATES and count * each <= PAGE

    def look(self, indexes: Sequence[int]) -> Seen:
        """Return what comes of the check, in this order, as far as the budget goes.

        Raises: Busy, where a state cannot be had now.
        """
        seen: dict[int, Outcome | None] = {}
        for start in range(0, len(indexes), AT_ONCE):
            batch = indexes[start : start + AT_ONCE]
            wanted = [one for index in batch for one in self._needed(index)]
            reader = Reader(self._states, wanted)
            for index in batch:
                if self._states.is_spent and self._n_seen >= LEAST:
                    return seen
                self._n_seen += 1
                seen[index] = self._outcome(reader, index)
        return seen

    def _outcome(self, reader: Reader, index: int) -> Outcome | None:
        needed = self._needed(index)
        states = [reader.state(one) for one in needed]
        if any(state is None for state in states):
            if not any(map(reader.is_gone, needed)):
                self._require_store(needed[-1].session_id)
                self.unreadable.append(self._history.at(index))
            return None
        *earlier, state = states
        verdict = (
            evaluate(self._check, state, before=earlier[0])
            if earlier
            else evaluate(self._check, state)
        )
        self._states.spend(verdict.looks)
        return verdict.outcome

    def _require_store(self, session_id: str) -> None:
        """Refuse to tell as unreadable what the store will have once it is back.

        Raises: ObjectsUnavailable.
        """
        if session_id in self._states.away:
            raise ObjectsUnavailable

    def _needed(self, index: int) -> list[Place]:
        """Return what is read for it; `was` is the number before, live or not."""
        session_id, number = place = self._history.at(index)
        if not self._looks_back or not number:
            return [place]
        return [Place(session_id, number - 1), place]
