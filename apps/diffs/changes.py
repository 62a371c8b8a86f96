"""The words of a comparison: change, kind, alignment, and the missing side.

Values only: frozen, typed, without any reading or writing of states. A missing side is
`MISSING`, never None, because null is a value that an agent can store.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Any, Final, TypeAlias

# Parsed JSON: dict, list, str, int, float, bool or None. A recursive alias would have
# every reader narrow it again at each step, for data that is validated at the door.
Json: TypeAlias = Any


class Missing(Enum):
    """The type of `MISSING`: there is no value on this side."""

    MISSING = "missing"

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing.MISSING


class CutList(list[Json]):
    """The beginning of a list of which no more was kept, and how long all of it is."""

    def __init__(self, kept: Iterable[Json], length: int) -> None:
        super().__init__(kept)
        self.length = length


class Kind(StrEnum):
    """What happened to a value."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    TYPE_CHANGED = "type_changed"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class Change:
    """One difference; `pointer` is RFC 6901 into *after*, for removed into *before*.

    A moved list item carries where it stood in *before*. What changed inside it is
    reported by changes of its own. Where two long texts were kept as excerpts,
    `differs_at` is the number of the first character that differs, counted from 1.
    """

    pointer: str
    kind: Kind
    before: Json
    after: Json
    from_pointer: str | None = None
    differs_at: int | None = None


@dataclass(frozen=True, slots=True)
class Alignment:
    """Which items of two differing lists belong together.

    `runs` are (start in before, start in after, length), ascending in *after*; an item
    of *after* in no run is new, an item of *before* in no run is gone.
    """

    pointer: str
    from_pointer: str
    runs: tuple[tuple[int, int, int], ...]

    @property
    def is_shifted(self) -> bool:
        """Whether any kept item stands at another index than before."""
        return any(old != new for old, new, _ in self.runs)

    def earlier_index(self, index: int) -> int | None:
        """Give the index in *before* of an item of *after*, None for a new item."""
        for old, new, length in self.runs:
            if new <= index < new + length:
                return old + index - new
        return None

    def later_index(self, index: int) -> int | None:
        """Give the index in *after* of an item of *before*, None for a gone one."""
        for old, new, length in self.runs:
            if old <= index < old + length:
                return new + index - old
        return None


@dataclass(frozen=True, slots=True)
class Comparison:
    """All differences in document order, and how lists were aligned to find them.

    `coarse` names the containers that were too different for the budget: each is
    reported as one `changed`, without its inner differences.
    """

    before: Json = field(repr=False)
    after: Json = field(repr=False)
    changes: tuple[Change, ...]
    alignments: tuple[Alignment, ...] = field(repr=False)
    coarse: tuple[str, ...] = ()

    @property
    def truncated(self) -> bool:
        """Whether the budget ran out, so that some changes are less exact."""
        return bool(self.coarse)

    def __iter__(self) -> Iterator[Change]:
        return iter(self.changes)

    def __len__(self) -> int:
        return len(self.changes)

    def __bool__(self) -> bool:
        return bool(self.changes)
