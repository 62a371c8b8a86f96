"""What differs between two JSON states, in time near to reading them once.

`compare` is pure and exact: 1, 1.0 and true differ, key order does not. It never looks
into what is equal, and what is too different for its budget it reports as replaced.
"""

from dataclasses import dataclass

from apps.diffs import lists
from apps.diffs.changes import (
    MISSING,
    Alignment,
    Change,
    Comparison,
    Json,
    Kind,
)
from apps.diffs.equality import differing, same
from apps.diffs.pointers import escape

# A budget of differing children: 10,000 small changes take about 20 ms.
BUDGET = 10_000
# Every difference has a pointer of its own: below a key of a megabyte, 10,000 of them
# would be 10 GB.
POINTER_BUDGET = 4_000_000


def compare(
    before: Json,
    after: Json,
    *,
    budget: int = BUDGET,
    pair_gap: lists.PairGap = lists.by_position,
) -> Comparison:
    """Report what differs, in document order, each difference once.

    A container pays for its differing children before they are looked into; one that
    cannot pay is reported as one `changed` and named in `coarse`, and so is a list with
    too many items left to align, or one whose pointer is too long to be repeated for
    each. Their siblings keep their detail. `pair_gap` guesses
    which differing items of an unkeyed list belong together; by position is fastest.
    """
    walk = _Walk(budget, pair_gap)
    if not same(before, after):
        walk.visit(_Pair(before, after))
    return Comparison(
        before,
        after,
        tuple(walk.changes),
        tuple(walk.alignments),
        tuple(walk.coarse),
    )


def kind_of_change(before: Json, after: Json) -> Kind:
    """Name the change between two different values.

    Numbers of different value have changed; 1 and 1.0 differ in type alone.
    """
    if _json_type(before) != _json_type(after):
        return Kind.TYPE_CHANGED
    if type(before) is not type(after) and before == after:
        return Kind.TYPE_CHANGED
    return Kind.CHANGED


def _json_type(value: Json) -> str:
    name = type(value).__name__
    return "number" if name in ("int", "float") else name


@dataclass(slots=True)
class _Pair:
    """Two values to be compared, and where they stand."""

    old: Json
    new: Json
    source: str = ""
    target: str = ""

    def under(self, key: str) -> "_Pair":
        token = escape(key)
        return _Pair(
            self.old[key],
            self.new[key],
            f"{self.source}/{token}",
            f"{self.target}/{token}",
        )

    def at(self, was: int, now: int) -> "_Pair":
        return _Pair(
            self.old[was],
            self.new[now],
            f"{self.source}/{was}",
            f"{self.target}/{now}",
        )


class _Walk:
    def __init__(self, budget: int, pair_gap: lists.PairGap) -> None:
        self.changes: list[Change] = []
        self.alignments: list[Alignment] = []
        self.coarse: list[str] = []
        self._left = budget
        self._room = POINTER_BUDGET
        self._pair_gap = pair_gap

    def visit(self, pair: _Pair) -> None:
        """Report how two values differ that are known to differ."""
        old, new = pair.old, pair.new
        if isinstance(old, dict) and isinstance(new, dict):
            self._visit_dicts(pair)
        elif isinstance(old, list) and isinstance(new, list):
            self._visit_lists(pair)
        else:
            self._add(pair.target, kind_of_change(old, new), old, new)

    def _visit_dicts(self, pair: _Pair) -> None:
        old, new = pair.old, pair.new
        changed, fresh = differing(old, new)
        if not self._pay(len(changed) + len(fresh), pair):
            self._replace(pair)
            return
        for key in changed:
            if key in new:
                self.visit(pair.under(key))
            else:
                gone = f"{pair.source}/{escape(key)}"
                self._add(gone, Kind.REMOVED, old[key], MISSING)
        for key in fresh:
            self._add(f"{pair.target}/{escape(key)}", Kind.ADDED, MISSING, new[key])

    def _visit_lists(self, pair: _Pair) -> None:
        old, new = pair.old, pair.new
        head = lists.common_prefix(old, new)
        tail = lists.common_suffix(old, new, head)
        n_old, n_new = len(old) - head - tail, len(new) - head - tail
        if n_old + n_new > lists.LONGEST_WINDOW:
            self._replace(pair)
            return
        was, now = old[head : head + n_old], new[head : head + n_new]
        key = lists.shared_identity_key(old, new) if was and now else None
        pairing = lists.pair(was, now, key, self._pair_gap)
        if pairing is None:
            self._replace(pair)
            return
        is_single = n_old == n_new == 1  # that it differs is known
        steps = [
            step
            for step in lists.steps(pairing, head, n_old, n_new)
            if is_single or _is_difference(step, old, new)
        ]
        if not self._pay(len(steps), pair):
            self._replace(pair)
            return
        runs = lists.runs(pairing, head, (head + n_old, head + n_new, tail))
        self.alignments.append(Alignment(pair.target, pair.source, tuple(runs)))
        for step in steps:
            self._visit_item(pair, step)

    def _visit_item(self, pair: _Pair, step: lists.Step) -> None:
        was, now = step.before, step.after
        if was is None and now is not None:
            self._add(f"{pair.target}/{now}", Kind.ADDED, MISSING, pair.new[now])
        elif now is None and was is not None:
            self._add(f"{pair.source}/{was}", Kind.REMOVED, pair.old[was], MISSING)
        elif was is not None and now is not None:
            item = pair.at(was, now)
            if step.is_moved:
                self.changes.append(
                    Change(item.target, Kind.MOVED, item.old, item.new, item.source)
                )
            if not step.is_moved or not same(item.old, item.new):
                self.visit(item)

    def _pay(self, cost: int, pair: _Pair) -> bool:
        """Pay for differing children, and for the pointer that each repeats."""
        repeated = cost * max(len(pair.source), len(pair.target))
        if cost > self._left or repeated > self._room:
            return False
        self._left -= cost
        self._room -= repeated
        return True

    def _replace(self, pair: _Pair) -> None:
        self.coarse.append(pair.target)
        self._add(pair.target, Kind.CHANGED, pair.old, pair.new)

    def _add(self, pointer: str, kind: Kind, before: Json, after: Json) -> None:
        self.changes.append(Change(pointer, kind, before, after))


def _is_difference(step: lists.Step, old: list[Json], new: list[Json]) -> bool:
    if step.is_moved or step.before is None or step.after is None:
        return True
    return not same(old[step.before], new[step.after])
