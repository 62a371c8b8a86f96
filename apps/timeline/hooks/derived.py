"""What apps above keep of a session that follows from its history."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Derived:
    """How an app's rows of a session are held against history, and made anew.

    `problems` yields a sentence for each that does not follow from it; `rebuild` is
    called under the session's lock. Both are given the session's id.
    """

    problems: Callable[[str], Iterator[str]]
    rebuild: Callable[[str], None]


# By the app's name.
DERIVED: dict[str, Derived] = {}


def derived_problems(session_id: str) -> Iterator[str]:
    """Yield what does not follow from the session's history."""
    for one in DERIVED.values():
        yield from one.problems(session_id)


def rebuild_derived(session_id: str) -> None:
    """Make it all anew; the caller holds the session's lock."""
    for one in DERIVED.values():
        one.rebuild(session_id)
