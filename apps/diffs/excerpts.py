"""Two long texts around the place where they begin to differ.

The beginnings of two long texts may be the same: shortened, they would look equal. So
what is shown of them is where they part, and which character that is.
"""

from __future__ import annotations

from dataclasses import dataclass

from apps.diffs.graphemes import boundary, cut

# Of what is the same before the difference, so much is shown at most.
LEAD = 40


@dataclass(frozen=True, slots=True)
class Excerpts:
    """What stands around the first difference; `at` characters before it are equal."""

    at: int
    before: str
    after: str

    @property
    def position(self) -> int:
        """The number of the first character that differs, counted from 1."""
        return self.at + 1


def excerpts(before: str, after: str, longest: int) -> Excerpts | None:
    """Return no more than `longest` characters of each, around where they part.

    None where both are no longer, or where beginnings as long as that differ.
    """
    if max(len(before), len(after)) <= longest:
        return None
    at = common_start(before, after)
    lead = min(LEAD, longest // 2)
    if at + lead < longest:
        return None
    start = boundary(before, at - lead)
    return Excerpts(
        at, _excerpt(before, start, longest), _excerpt(after, start, longest)
    )


def common_start(before: str, after: str) -> int:
    """Return how many characters both begin with, all clusters whole."""
    length = _longest_equal(before, after, from_end=False)
    # A cluster goes on in one of them: the boundary is that of both.
    return min(boundary(before, length), boundary(after, length))


def common_end(before: str, after: str, *, after_start: int) -> int:
    """Return how many characters both end with, apart from their common start."""
    length = _longest_equal(before[after_start:], after[after_start:], from_end=True)
    while length:
        was, now = len(before) - length, len(after) - length
        if boundary(before, was) == was and boundary(after, now) == now:
            return length
        length -= 1
    return 0


def _longest_equal(before: str, after: str, *, from_end: bool) -> int:
    """Halve what may be equal: slices compare a hundred times as fast as characters."""
    low, high = 0, min(len(before), len(after))
    while low < high:
        middle = (low + high + 1) // 2
        if from_end:
            is_equal = before[-middle : -low or None] == after[-middle : -low or None]
        else:
            is_equal = before[low:middle] == after[low:middle]
        low, high = (middle, high) if is_equal else (low, middle - 1)
    return low


def _excerpt(text: str, start: int, longest: int) -> str:
    shown = cut(text[start:], longest - 2)
    end = "…" if start + len(shown) < len(text) else ""
    return f"…{shown}{end}"
