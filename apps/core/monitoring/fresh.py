"""An answer that is asked for again only after some seconds.

For what every page or probe says but few ask about: one process asks the database or
files once in that time, however many read it. Two threads may ask at once; either
answer holds.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Generic, TypeVar

T = TypeVar("T")


class Fresh(Generic[T]):
    """The answer to `ask`, kept for `seconds`; an error is raised and not kept."""

    def __init__(self, ask: Callable[[], T], *, seconds: float) -> None:
        self._ask, self._seconds = ask, seconds
        self._kept: tuple[float, T] | None = None

    def get(self) -> T:
        """Return the answer, asking if none is kept."""
        kept = self._kept
        if kept is None or monotonic() - kept[0] > self._seconds:
            # Dated before it is asked: a slow answer is no fresher for it.
            kept = monotonic(), self._ask()
            self._kept = kept
        return kept[1]

    def peek(self) -> T | None:
        """Return the answer if one is kept, without asking."""
        kept = self._kept
        return (
            None if kept is None or monotonic() - kept[0] > self._seconds else kept[1]
        )
