"""What a report is made of: questions, and what is known of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.incidents.counting import MOST_GROUPS, Group

Text = Callable[[str], str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """Sessions counted by what they have in common."""

    heading: str
    rows: Sequence[Group]

    @property
    def is_cut(self) -> bool:
        return len(self.rows) == MOST_GROUPS


@dataclass(frozen=True, kw_only=True, slots=True)
class Done:
    """One thing that was done: when, by whom, what; a note in its own words."""

    at: datetime
    by: str
    words: str
    quote: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """One question, and what is known of it."""

    heading: str
    sentences: Sequence[str] = ()
    tables: Sequence[Table] = ()
    done: Sequence[Done] = ()
    points: Sequence[str] = ()


def sessions(count: int) -> str:
    return f"{count:,} session{'' if count == 1 else 's'}"


def moment(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M UTC")


def of_sessions(count: int, what: str) -> str:
    if not count:
        return ""
    words = {"has": "has", "is": "is"} if count == 1 else {"has": "have", "is": "are"}
    return f"{sessions(count)} {what.format(**words)}."
