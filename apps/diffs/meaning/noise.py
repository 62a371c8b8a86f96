"""Noise: places in a state whose changes say little, such as clocks and counters.

A pattern is a JSON pointer in which `*` stands for one token, mostly the index of an
item; it covers what stands there and all that is inside. Noise is told apart and never
left out: whoever shows changes says how many of them it covers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from apps.diffs import pointers
from apps.diffs.changes import Change

ANY = "*"


@dataclass(frozen=True, slots=True)
class Noise:
    """Patterns of places; without any nothing is noise."""

    patterns: tuple[tuple[str, ...], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.patterns)

    def covers(self, pointer: str) -> bool:
        """Return whether a place is noise; what is no pointer is none."""
        if not self.patterns:
            return False
        try:
            tokens = pointers.split(pointer)
        except ValueError:  # it was cut in the middle of an escape
            return False
        return any(_begins(tokens, pattern) for pattern in self.patterns)

    def hides(self, change: Change) -> bool:
        """Return whether a change is noise."""
        return self.covers(change.pointer)

    def apart(self, changes: Sequence[Change]) -> tuple[list[Change], list[Change]]:
        """Return the changes that are not noise, and those that are, in their order."""
        told = [one for one in changes if not self.covers(one.pointer)]
        if len(told) == len(changes):
            return told, []
        return told, [one for one in changes if self.covers(one.pointer)]


def noise_of(patterns: Iterable[str]) -> Noise:
    """Return what these patterns cover.

    Raises: ValueError for one that is no pointer, or is that of the whole state.
    """
    found = tuple(tuple(pointers.split(pattern)) for pattern in patterns)
    if not all(found):
        raise ValueError("A pattern of noise is not the whole state.")
    return Noise(found)


NO_NOISE = Noise()


def _begins(tokens: list[str], pattern: tuple[str, ...]) -> bool:
    return len(tokens) >= len(pattern) and all(
        wanted in (ANY, token) for token, wanted in zip(tokens, pattern, strict=False)
    )
