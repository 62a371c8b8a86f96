"""Cache the sums of closed hours in this process, until one of them changes.

A month of a busy project is a million rows of rollups, and a page asks them some ten
questions. The answers change once an hour, when an hour is rolled up; that counts the
project's revision up, in the same transaction. The revision is part of the question,
so nothing has to be thrown away in time.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from operator import add
from threading import Lock
from typing import Any

ANSWERS = 128
# One answer, at most: agents times values. What is larger is asked for again.
ROWS = 10_000
# Columns that are not added up.
ENDS = {"first": min, "latency_max": max}

_kept: OrderedDict[Hashable, list[Any]] = OrderedDict()
_lock = Lock()


def cached_rows(question: Hashable, ask: Callable[[], list[Any]]) -> list[Any]:
    """Return the rows that answer a question, asked once while they are kept."""
    with _lock:
        known = _kept.get(question)
        if known is not None:
            _kept.move_to_end(question)
            return known
    rows = ask()
    if len(rows) <= ROWS:
        with _lock:
            _kept[question] = rows
            while len(_kept) > ANSWERS:
                _kept.popitem(last=False)
    return rows


def together(
    closed: Iterable[Any], live: Iterable[Any], *, by: tuple[str, ...]
) -> list[Any]:
    """Return the rows of both, those of one key added up, but for ends of a span."""
    found: dict[tuple[Any, ...], Any] = {}
    for row in (*closed, *live):
        key = tuple(getattr(row, name) for name in by)
        known = found.get(key)
        found[key] = row if known is None else _added(known, row, by)
    return list(found.values())


def _added(one: Any, other: Any, by: tuple[str, ...]) -> Any:
    numbers = {
        name: ENDS.get(name, add)(mine, its)
        for name, mine, its in zip(one._fields, one, other, strict=True)
        if name not in by
    }
    return one._replace(**numbers)
