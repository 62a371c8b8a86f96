"""What is looked at of histories: between two moments, one write after the other."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from apps.guards.detecting import Moment


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """One write; `moment` is None where too little of it is left to be looked at."""

    number: int
    turn_number: int
    at: datetime
    moment: Moment | None


@dataclass(frozen=True, slots=True)
class Window:
    """The writes that are looked at: from a moment on, and before another.

    `lowest` is the first version that may be among them.
    """

    since: datetime
    until: datetime
    lowest: int = 0

    def has(self, at: datetime) -> bool:
        return self.since <= at < self.until
