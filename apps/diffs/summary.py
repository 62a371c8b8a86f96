"""Changes in the words a support engineer uses: "destination set to NYC".

Reads changes, writes plain text. What matters leads: a loss, then money, then a status;
counters and clocks, which nearly every version moves, come last. That is guessed from
names and values, and decides nothing but the order. What is added to or removed from
one list is one sentence, so is what turned null, and a summary ends by saying how much
it leaves out.
"""

import re
from collections.abc import Collection, Iterator
from enum import IntEnum
from functools import lru_cache
from itertools import groupby

from apps.diffs import pointers
from apps.diffs.changes import Change, Comparison, Json, Kind
from apps.diffs.excerpts import excerpts
from apps.diffs.text import LONGEST_TEXT, count, isolated, shorten, show, visible

_SHOWN = 3
# Sessions of an agent have the same places: what is read from so many is kept.
KEPT = 4_096

# Whether the changes are told as a number of items, the changes, and whether there may
# be more of them than are known.
_Group = tuple[bool, list[Change], bool]

_COUNTED = {
    Kind.ADDED: "added to",
    Kind.REMOVED: "removed from",
    Kind.MOVED: "moved within",
}
_TYPES = {
    dict: "object",
    list: "list",
    str: "text",
    int: "whole number",
    float: "decimal number",
    bool: "yes or no",
}


class Importance(IntEnum):
    """The order in which changes are told; the smallest leads."""

    LOST = 1
    MONEY = 2
    STATUS = 3
    OTHER = 4
    ROUTINE = 5


def _words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MONEY = _words_of(
    "amount balance charge charges cost costs credit currency debit deposit discount "
    "eur fare fee fees gbp invoice money paid payment payments payout penalty price "
    "prices refund refunded refunds subtotal tax taxes total usd"
)
_STATUS = _words_of(
    "approval approved cancelled canceled closed confirmed decision escalated goal "
    "intent mode objective outcome phase resolution resolved result stage state status "
    "step verdict"
)
_COUNTERS = _words_of(
    "attempt attempts count counter cursor idx index iteration iterations offset page "
    "progress retries retry revision seq sequence step steps tick ticks tokens turn "
    "turns version"
)
_CLOCKS = _words_of(
    "clock created elapsed heartbeat modified now seen timestamp touched ts updated "
    "uptime"
)
# The words of a key: of snake_case, kebab-case and camelCase.
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_LONGEST_KEY = 100
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:|\d\d:\d\d")


def summary(comparison: Comparison, shown: int = _SHOWN) -> str:
    """Say in one line what a version changed."""
    if not comparison:
        return "state unchanged"
    groups = _groups(comparison)
    told = [_tell(group, comparison.coarse) for group in groups[:shown]]
    if len(groups) > shown:
        told.append(count(len(groups) - shown, "more change"))
    return "; ".join(told)


def sentences(comparison: Comparison, *, goes_on: bool = False) -> Iterator[str]:
    """Say what changed, what matters first, one sentence for each run in one list.

    With `goes_on` these are not all changes: the last run may be longer.
    """
    for group in _groups(comparison, goes_on=goes_on):
        yield _tell(group, comparison.coarse)


def sentence(change: Change, coarse: Collection[str] = ()) -> str:
    """Say what one change did to its value."""
    name = name_of(change.pointer)
    if change.pointer in coarse:
        return f"{name} replaced (too different to show in detail)"
    if change.kind is Kind.REMOVED:
        return f"{name} removed (was {_shown(change.before)})"
    if change.kind is Kind.ADDED or change.before is None:
        return f"{name} set to {_shown(change.after)}"
    if change.after is None:
        return f"{name} lost (turned null)"
    return _replaced(name, change)


@lru_cache(maxsize=KEPT)
def name_of(pointer: str) -> str:
    """Name a value by the last steps of its way: "passengers.2.seat"."""
    tokens = pointers.split(pointer)
    if not tokens:
        return "the state"
    way = ".".join(isolated(shorten(token, 40)) or '""' for token in tokens[-3:])
    return way if len(tokens) <= 3 else f"….{way}"


def _groups(comparison: Comparison, *, goes_on: bool = False) -> list[_Group]:
    """Put together what happened in the same way, and order it by what matters.

    That is: to items of the same list, and whatever turned null.
    """
    runs = _runs(comparison)
    nulled: list[Change] = []
    groups: list[_Group] = []
    for number, (is_counted, changes) in enumerate(runs, 1):
        if not is_counted and _turned_null(changes[0], comparison):
            nulled += changes
        else:
            groups.append((is_counted, changes, goes_on and number == len(runs)))
    if nulled:
        groups.insert(0, (False, nulled, goes_on))
    # Of equal importance, the first in the document leads: the sort is stable.
    return sorted(groups, key=lambda one: importance(one[1][0], comparison.coarse))


def _turned_null(change: Change, comparison: Comparison) -> bool:
    return _is_nulled(change) and change.pointer not in comparison.coarse


def _runs(comparison: Comparison) -> list[tuple[bool, list[Change]]]:
    now = {alignment.pointer for alignment in comparison.alignments}
    was = {alignment.from_pointer for alignment in comparison.alignments}

    def subject(change: Change) -> tuple[bool, str, Kind]:
        place = pointers.parent(change.pointer)
        lists = was if change.kind is Kind.REMOVED else now
        if change.pointer and change.kind in _COUNTED and place in lists:
            return True, place, change.kind
        return False, change.pointer, change.kind

    return [
        (is_counted, list(changes))
        for (is_counted, *_), changes in groupby(comparison, key=subject)
    ]


def _tell(group: _Group, coarse: Collection[str]) -> str:
    is_counted, changes, is_cut = group
    if is_counted:
        return _items(changes, is_cut)
    if len(changes) > 1:
        return _nulled(changes, is_cut)
    return sentence(changes[0], coarse)


def _nulled(changes: list[Change], is_cut: bool) -> str:
    shown = changes if len(changes) == _SHOWN + 1 else changes[:_SHOWN]
    names = [name_of(change.pointer) for change in shown]
    rest = len(changes) - len(names)
    more = " or more" if is_cut else ""
    last = f"{rest:,}{more} others" if rest else names.pop()
    return f"{', '.join(names)} and {last} lost (turned null)"


def _items(changes: list[Change], is_cut: bool) -> str:
    first, *others = changes
    name = name_of(pointers.parent(first.pointer))
    value = first.before if first.kind is Kind.REMOVED else first.after
    if is_cut:
        what = f"{len(changes):,} or more items"
    elif others or isinstance(value, dict | list):
        what = count(len(changes), "item")
    else:
        what = _shown(value)
    return f"{what} {_COUNTED[first.kind]} {name}"


def _replaced(name: str, change: Change) -> str:
    if change.kind is Kind.TYPE_CHANGED:
        was = f"{_shown(change.before)} ({_TYPES[type(change.before)]})"
        now = f"{_shown(change.after)} ({_TYPES[type(change.after)]})"
        return f"{name} changed from {was} to {now}"
    was, now = _written(change.before), _written(change.after)
    if found := excerpts(was, now, LONGEST_TEXT):
        where = f"at character {change.differs_at or found.position:,} "
        was, now = visible(found.before), visible(found.after)
    else:
        where, was, now = "", show(change.before), show(change.after)
    if was == now:
        return f"{name} changed ({isolated(was)})"
    return f"{name} changed {where}from {isolated(was)} to {isolated(now)}"


def _written(value: Json) -> str:
    """Write a text or number whole; of anything else no excerpt is made."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if isinstance(value, str) else str(value) if is_number else ""


def _shown(value: Json) -> str:
    return isolated(show(value))


def importance(change: Change, coarse: Collection[str] = ()) -> Importance:
    """Return how much one change matters."""
    if change.pointer in coarse:
        return Importance.LOST
    words = _words(change.pointer)
    if _is_routine(change, words):
        return Importance.ROUTINE
    if _is_lost(change):
        return Importance.LOST
    if words & _MONEY and not isinstance(change.after, dict | list):
        return Importance.MONEY
    if words & _STATUS and isinstance(change.after, str | bool):
        return Importance.STATUS
    return Importance.OTHER


def _is_nulled(change: Change) -> bool:
    """Return whether a value turned null."""
    changed = change.kind in (Kind.CHANGED, Kind.TYPE_CHANGED)
    return changed and change.after is None


def _is_lost(change: Change) -> bool:
    """Return whether something went that had been something."""
    if change.kind is Kind.REMOVED:
        return not _is_nothing(change.before)
    return _is_nulled(change)


def _is_nothing(value: Json) -> bool:
    return value is None or value is False or value in ("", [], {})


def _is_routine(change: Change, words: frozenset[str]) -> bool:
    if change.kind is Kind.REMOVED or _is_nulled(change):
        return False
    value = change.after
    if isinstance(value, int | float) and not isinstance(value, bool):
        return bool(words & (_COUNTERS | _CLOCKS))
    is_moment = isinstance(value, str) and _MOMENT.search(value[:32]) is not None
    return is_moment and bool(words & _CLOCKS)


@lru_cache(maxsize=KEPT)
def _words(pointer: str) -> frozenset[str]:
    """Return the words of a value's key; of an item of a list, those of the list."""
    tokens = [one for one in pointers.split(pointer) if not one.isdecimal()]
    key = tokens[-1][:_LONGEST_KEY] if tokens else ""
    return frozenset(word.lower() for word in _WORD.findall(key))
