"""Two classic algorithms on sequences: longest ascending run, shortest edit.

Both give pairs (index in the first, index in the second), ascending.
"""

from bisect import bisect_left
from collections.abc import Sequence

Pair = tuple[int, int]

# Steps of a shortest edit: time grows with items times edits, space with their square.
MOST_EDITS = 64


def ascending(pairs: list[Pair]) -> list[Pair]:
    """Give the longest run of pairs that keeps the order on both sides."""
    tails: list[int] = []
    ends: list[int] = []  # which pair ends the best run of each length
    previous: list[int] = []
    for place, (old, _) in enumerate(pairs):
        length = bisect_left(tails, old)
        previous.append(ends[length - 1] if length else -1)
        tails[length : length + 1] = [old]
        ends[length : length + 1] = [place]
    run = []
    place = ends[-1] if ends else -1
    while place >= 0:
        run.append(pairs[place])
        place = previous[place]
    return run[::-1]


def shortest_edit(
    old: Sequence[bytes], new: Sequence[bytes], most: int = MOST_EDITS
) -> list[Pair]:
    """Pair what the fewest removals and insertions leave in place (Myers, 1986).

    Gives nothing when more than `most` of them are needed.
    """
    furthest = {1: 0}  # diagonal (index in old - index in new) to index in old
    trace: list[dict[int, int]] = []
    for edits in range(most + 1):
        trace.append(furthest.copy())
        for diagonal in range(-edits, edits + 1, 2):
            here = furthest[_inner(furthest, edits, diagonal)]
            here += _inner(furthest, edits, diagonal) < diagonal
            while (
                here < len(old)
                and here - diagonal < len(new)
                and old[here] == new[here - diagonal]
            ):
                here += 1
            furthest[diagonal] = here
            if here >= len(old) and here - diagonal >= len(new):
                return _back(trace, len(old), len(new))
    return []


def _inner(furthest: dict[int, int], edits: int, diagonal: int) -> int:
    """Choose the neighbouring diagonal from which the next edit starts."""
    if diagonal == -edits:
        return diagonal + 1
    if diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1]:
        return diagonal + 1
    return diagonal - 1


def _back(trace: list[dict[int, int]], old: int, new: int) -> list[Pair]:
    pairs: list[Pair] = []
    for edits, furthest in reversed(list(enumerate(trace))):
        diagonal = _inner(furthest, edits, old - new)
        start = furthest[diagonal]
        while old > start and new > start - diagonal and new > 0:
            old, new = old - 1, new - 1
            pairs.append((old, new))
        old, new = start, start - diagonal
    return pairs[::-1]
