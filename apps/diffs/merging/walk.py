"""Merging what two sides made of one state, in time near to comparing each with it.

`merge` is pure and never guesses: what it cannot tell is a conflict. Objects merge by
key; lists by the identity key that all three have, else by the items that both kept.
"""

from __future__ import annotations

from collections.abc import Mapping

from apps.diffs.changes import MISSING, Json
from apps.diffs.compare import BUDGET
from apps.diffs.equality import differing, same
from apps.diffs.merging.arrays import merged_list
from apps.diffs.merging.record import Record
from apps.diffs.merging.windows import Asking
from apps.diffs.merging.words import Choice, Clash, Merge, Side, Three
from apps.diffs.pointers import escape

_NO_CHOICES: Mapping[str, Choice] = {}


def merge(
    base: Json,
    ours: Json,
    theirs: Json,
    *,
    choices: Mapping[str, Choice] = _NO_CHOICES,
    budget: int = BUDGET,
) -> Merge:
    """Merge what two sides made of `base`; what they contradict is a conflict.

    What only one side changed is taken, what both changed alike as well. A container
    pays for its differing children as in `compare`; one that cannot pay, and that both
    changed, is one conflict. Conflicts do not depend on the choices.

    Raises: ChoiceRefused for a choice that names no conflict, or does not fit.
    """
    record = Record(choices, budget)
    return record.result(_Walk(record).visit(Three(base, ours, theirs), ""))


class _Walk:
    def __init__(self, record: Record) -> None:
        self._record = record

    def visit(self, three: Three, pointer: str) -> Json:
        """Merge a value of which it is not known who changed it."""
        base, ours, theirs = three
        if same(base, theirs):
            if not same(base, ours):
                self._record.tell(Side.OURS, pointer, base, ours)
            return ours
        if same(base, ours):
            self._record.tell(Side.THEIRS, pointer, base, theirs)
            return theirs
        return self._both(three, pointer)

    def _both(self, three: Three, pointer: str) -> Json:
        """Merge a value that both sides changed; either may be missing."""
        base, ours, theirs = three
        if same(ours, theirs):
            self._record.tell(Side.BOTH, pointer, base, ours)
            return ours
        kinds = set(map(type, three))
        if kinds == {dict}:
            return self._objects(three, pointer)
        if kinds == {list}:
            return self._answered(merged_list(self._record, three, pointer))
        is_removed = ours is MISSING or theirs is MISSING
        kind = Clash.REMOVED if is_removed else Clash.VALUE
        return self._record.clash(kind, pointer, three)

    def _answered(self, asking: Asking) -> Json:
        answer: Json = None
        while True:
            try:
                inner = asking.send(answer)
            except StopIteration as done:
                return done.value
            answer = self.visit(*inner)

    def _objects(self, three: Three, pointer: str) -> Json:
        base, ours, theirs = three
        here, there = (
            {key for keys in differing(base, side) for key in keys}
            for side in (ours, theirs)
        )
        if not self._record.pay(len(here | there), pointer):
            return self._record.clash_whole(Clash.VALUE, pointer, three)
        merged = dict(ours)
        for key in _ordered(here | there, base):
            place = f"{pointer}/{escape(key)}"
            inner = Three(*(each.get(key, MISSING) for each in three))
            if key not in there:
                self._record.tell(Side.OURS, place, inner.base, inner.ours)
                continue
            if key in here:
                value = self._both(inner, place)
            else:
                self._record.tell(Side.THEIRS, place, inner.base, inner.theirs)
                value = inner.theirs
            if value is MISSING:
                merged.pop(key, None)
            else:
                merged[key] = value
        return merged


def _ordered(keys: set[str], base: dict[str, Json]) -> list[str]:
    """Order keys in the same way whichever side is called ours, as the base's first.

    What comes late may be beyond the budget.
    """
    return [*(key for key in base if key in keys), *sorted(keys.difference(base))]
