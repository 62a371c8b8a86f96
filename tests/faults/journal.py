"""What the clients were told: every acknowledged version, and what was not answered.

The journal is what the store is held against afterwards. It never asks the store.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from typing import Any

# Where a request is cut: before it did anything, or after it did all of it.
PLACES = ("before", "after")


class Violation(AssertionError):
    """The promise was broken; the message says where."""


def digest(state: Any) -> str:
    """Return one digest for one state, however its keys are ordered."""
    written = json.dumps(state, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()


class Journal:
    """Shared by all clients of a scenario, whose sessions have its agent."""

    def __init__(self, agent: str) -> None:
        self.agent = agent
        self._lock = threading.Lock()
        self.states: dict[str, dict[int, str]] = {}
        self.keys: dict[str, tuple[str, int]] = {}
        self.turns: Counter[str] = Counter()
        self.verbs: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()
        # Of the faults: those that left open what became of a request.
        self.left_open: Counter[str] = Counter()
        self.acknowledged = 0
        self.replays = 0
        self._unknown: set[str] = set()
        self._resolved: set[str] = set()
        # Of the resolved: whether it turned out to have been stored before.
        self.was_stored: dict[str, bool] = {}

    @property
    def unknown(self) -> int:
        return len(self._unknown)

    @property
    def resolved(self) -> int:
        return len(self._resolved)

    @property
    def stored_unseen(self) -> int:
        return sum(self.was_stored.values())

    @property
    def versions(self) -> int:
        """How many versions there must be, no more and no fewer."""
        return sum(map(len, self.states.values()))

    def failed(self, key: str, how: str) -> None:
        """A request was not answered with what it did.

        The repetition of one that was answered before leaves nothing open.
        """
        with self._lock:
            if key not in self.keys:
                self._unknown.add(key)
                self.left_open[how] += 1
            self.faults[how] += 1
            self.failures[key] += 1

    def answered(self, key: str, *, is_replay: bool) -> None:
        """The first answer to the key that says what it did."""
        with self._lock:
            self.acknowledged += 1
            self.replays += is_replay
            if key in self._unknown:
                self._resolved.add(key)
                self.was_stored[key] = is_replay
            elif is_replay:
                raise Violation(f"{key}: a first request was answered as a repetition")

    def stored(
        self, verb: str, key: str, session: str, states: dict[int, Any], *, turns: int
    ) -> None:
        """The request made these versions; its key is on the last one."""
        with self._lock:
            known = self.states.setdefault(session, {})
            twice = known.keys() & states.keys()
            if twice:
                raise Violation(
                    f"{session}: {sorted(twice)} acknowledged twice ({key})"
                )
            known.update({number: digest(state) for number, state in states.items()})
            self.keys[key] = (session, max(states))
            self.turns[session] += turns
            self.verbs[verb] += 1

    def require_told_right(self, cuts: dict[str, str]) -> None:
        """Hold the answers of those that were cut against where: before or after.

        What failed once more, for another reason, may have been stored then.
        """
        for key, place in cuts.items():
            if key not in self._unknown:
                raise Violation(f"{key} was cut {place}, and its client saw nothing")
            if self.failures[key] == 1 and self.was_stored[key] != (place == "after"):
                raise Violation(f"{key} was cut {place}, and told the opposite")

    def is_full_of(self, cuts: dict[str, str], *, each: int) -> bool:
        """Say whether enough were cut at each place and nowhere else, to tell by.

        Which place a request draws, and what else befalls it, is chance: a scenario
        goes on until it has them, whatever it draws.
        """
        only = Counter(at for key, at in cuts.items() if self.failures[key] == 1)
        return all(only[place] >= each for place in PLACES)

    def __str__(self) -> str:
        return (
            f"{self.acknowledged:,} acknowledged with {self.versions:,} versions, "
            f"{self.unknown:,} unknown, {self.resolved:,} resolved"
        )
