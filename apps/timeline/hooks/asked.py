"""What apps above know of sessions: who waits for people, and what searches ask.

A version that asks is answered by the next one that does not: what people are asked to
decide stands on, whatever is written meanwhile. It is looked up where a session's
status is shown, so that no write has to keep it true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from apps.timeline.versions import VersionRow


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """Which of some sessions wait for an answer, and which of a project may do so.

    `newest` is given a project's id and how many are wanted at most; `open` a session's
    id and how many, and returns what is asked there, as answers show it; `ever` a
    version, and yields what was asked up to it, the oldest first, with what had come of
    it.
    """

    among: Callable[[Sequence[str], datetime], Set[str]]
    newest: Callable[[str, int], Sequence[str]]
    open: Callable[[str, int, datetime], Sequence[Mapping[str, Any]]]
    ever: Callable[[VersionRow, datetime], Iterator[Mapping[str, Any]]]


# By the app's name.
ASKED: dict[str, Asked] = {}


def asked_among(session_ids: Sequence[str], *, now: datetime) -> set[str]:
    """Return those of these sessions that wait for an answer of people."""
    found: set[str] = set()
    for one in ASKED.values():
        found |= one.among(session_ids, now)
    return found


def newest_asked(project_id: str, limit: int) -> set[str]:
    """Return sessions that may wait for an answer: all of them, or so many."""
    return {id for one in ASKED.values() for id in one.newest(project_id, limit)}


def open_asked(
    session_id: str, *, limit: int, now: datetime
) -> list[Mapping[str, Any]]:
    """Return what people are asked in a session, the oldest deadline first."""
    return [one for each in ASKED.values() for one in each.open(session_id, limit, now)]


def ever_asked(head: VersionRow, *, now: datetime) -> Iterator[Mapping[str, Any]]:
    """Yield what people were asked up to a version, and what had come of it."""
    for one in ASKED.values():
        yield from one.ever(head, now)


@dataclass(frozen=True, kw_only=True, slots=True)
class Asking:
    """The words of a search's field, and which of some sessions each is true of."""

    words: tuple[str, ...]
    among: Callable[[Sequence[str], str], Set[str]]


# By the field's name; the grammar has each of them, so a typo is refused.
STANDING: dict[str, Asking] = {}
