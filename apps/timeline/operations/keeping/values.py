"""What a removal says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Went(StrEnum):
    """How a removal went; only `done` has changed anything."""

    DONE = "done"
    PINNED = "pinned"  # all that was asked for has to stay
    MOVED = "moved"  # what is stored is not as it says: nothing of it is taken
    HELD = "held"  # by law
    UNKNOWN = "unknown"  # no such session
    AWAY = "away"  # the store of objects does not answer


@dataclass(frozen=True, kw_only=True, slots=True)
class Gone:
    """What one removal took of a session: counts, and which versions stay, and why.

    Of the `rows`, `kept` says what apps kept of it, by kind. `has_more` says that more
    of what was asked for is to be taken by another call.
    """

    outcome: Went
    versions: int = 0
    bodies: int = 0
    turns: int = 0
    rows: int = 0
    bytes: int = 0
    kept: Mapping[str, int] = field(default_factory=dict)
    pinned: Mapping[int, str] = field(default_factory=dict)
    has_more: bool = False
