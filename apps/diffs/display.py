"""A comparison made for people: similar items found, long texts line by line.

The only importer of deepdiff, of which only the tree view is used (never Delta, which
unpickles). It costs up to a second, so it stays off the append path.
"""

import re
from collections.abc import Iterator

from deepdiff import DeepDiff

from apps.diffs import lists
from apps.diffs.changes import Comparison, Json
from apps.diffs.compare import BUDGET, compare
from apps.diffs.equality import spelling
from apps.diffs.sequences import Pair
from apps.diffs.text import visible

LONGEST_WINDOW = 500
LONGEST_TEXT = 50_000

# DeepDiff takes about 1 ms on a kilobyte: this much over all windows of a display.
_BYTES = 200_000
# Looking for the most similar item is quadratic: 10 items take 17 ms, 50 take 335.
_FEW = 16
_FEW_BYTES = 20_000

_SENTENCE_END = re.compile(r"(?<=[.!?;:]) +")


def display(before: Json, after: Json, *, budget: int = BUDGET) -> Comparison:
    """Compare as `compare` does, but pair the changed items of unkeyed lists well.

    A stretch of more than 500 changed items is not paired at all: its list is reported
    as replaced and named in `coarse`.
    """
    return compare(before, after, budget=budget, pair_gap=_SimilarItems().pair)


def text_diff(before: str, after: str) -> tuple[str, ...] | None:
    """Give the unified difference of two texts, or None where they are too long.

    Texts without line breaks are broken where sentences end. Control and
    bidirectional characters are made visible.
    """
    if max(len(before), len(after)) > LONGEST_TEXT:
        return None
    found = DeepDiff(_broken(before), _broken(after), view="tree")
    for item in found.get("values_changed", ()):
        lines = item.additional.get("diff", "").split("\n")[2:]
        return tuple(map(visible, lines)) or (
            f"-{visible(before)}",
            f"+{visible(after)}",
        )
    return ()


def _broken(text: str) -> str:
    return text if "\n" in text else _SENTENCE_END.sub("\n", text)


class _SimilarItems:
    """Pairs the items of gaps while its allowance lasts, then by position."""

    def __init__(self) -> None:
        self._left = _BYTES

    def pair(self, was: list[Json], now: list[Json]) -> list[Pair] | None:
        """Pair items as DeepDiff does; what it leaves unpaired is gone or new."""
        if max(len(was), len(now)) > LONGEST_WINDOW:
            return None
        if min(len(was), len(now)) == 0 or len(was) == len(now) == 1:
            return lists.by_position(was, now)
        if not any(isinstance(item, dict | list) for item in now):
            return lists.by_position(was, now)  # no scalar is like another
        size = len(spelling(was)) + len(spelling(now))
        if size > self._left:
            return lists.by_position(was, now)
        self._left -= size
        is_small = max(len(was), len(now)) <= _FEW and size <= _FEW_BYTES
        return _unique(_pairs(was, now, is_small))


def _pairs(was: list[Json], now: list[Json], by_similarity: bool) -> Iterator[Pair]:
    found = DeepDiff(
        was,
        now,
        view="tree",
        ignore_order=by_similarity,
        cutoff_intersection_for_pairs=1,
    )
    for items in found.values():
        for item in items:
            old, new = item.all_up.t1_child_rel, item.all_up.t2_child_rel
            if old is not None and new is not None:
                yield old.param, new.param


def _unique(pairs: Iterator[Pair]) -> list[Pair]:
    """Keep the first pair of every item."""
    partner: dict[int, int] = {}
    taken: set[int] = set()
    for old, new in pairs:
        if old not in partner and new not in taken:
            partner[old] = new
            taken.add(new)
    return list(partner.items())
