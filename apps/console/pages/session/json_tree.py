"""A state as a tree to be opened: bounded, the rest to be fetched where it is opened.

Makes plain text; templates place it. What is too large for the page says how large it
is and where the whole of it is.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from apps.core.json import Json
from apps.diffs.pointers import escape
from apps.diffs.text import count, cut, shorten

# On one page: nodes in all, items of one container, levels that stand open.
NODES = 250
ITEMS = 100
OPEN_LEVELS = 2
LONGEST_TEXT = 300
LONGEST_WHOLE = 250_000
FOUND = 100
LOOKED_AT = 1_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    """One value. A container without `children` is to be fetched when opened."""

    key: str
    pointer: str
    kind: str
    text: str
    is_container: bool
    # A scalar as it is, to be copied: a text without quotes, all else as JSON.
    exact: str = ""
    is_open: bool = False
    # Whether the version that is shown set it.
    is_changed: bool = False
    is_cut: bool = False
    children: list["Node"] = field(default_factory=list)
    # How many items stand before and behind those that are here.
    start: int = 0
    n_more: int = 0

    @property
    def is_folded(self) -> bool:
        return self.is_container and not self.children and self.text not in ("{}", "[]")

    @property
    def next_start(self) -> int:
        return self.start + len(self.children)


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """A place in the state where what is looked for stands, in a key or a value."""

    pointer: str
    text: str


@dataclass(slots=True)
class _Room:
    """How many nodes may still be made, what was changed, and what leads there."""

    left: int
    changed: frozenset[str] = frozenset()
    opened: frozenset[str] = frozenset()

    def opens(self, pointer: str, level: int) -> bool:
        """Where something was changed, that alone stands open."""
        if not self.changed:
            return level < OPEN_LEVELS
        return level == 0 or pointer in self.opened

    def reaches(self, pointer: str, level: int) -> bool:
        return level < OPEN_LEVELS or pointer in self.opened


def tree(
    value: Json,
    *,
    pointer: str = "",
    key: str = "",
    start: int = 0,
    changed: Iterable[str] = (),
) -> Node:
    """Return a value and, level by level, as much below it as fits.

    Of a version's changes the pointers are marked, and what they stand in is open.
    """
    marked = frozenset(changed)
    opened = {place[:at] for place in marked for at in _slashes(place)}
    room = _Room(NODES, marked, marked | opened)
    return _node(key, value, pointer, room, level=0, start=start)


def _slashes(pointer: str) -> list[int]:
    return [at for at, letter in enumerate(pointer) if letter == "/"]


def closed(key: str, value: Json, pointer: str) -> Node:
    """Return a value to be opened on demand."""
    return _node(key, value, pointer, _Room(0), level=0)


def whole_text(value: str) -> tuple[str, bool]:
    """Return a long text as it is shown by itself, and whether it was cut."""
    return cut(value, LONGEST_WHOLE), len(value) > LONGEST_WHOLE


def find(state: Json, wanted: str) -> tuple[list[Hit], bool]:
    """Look for a text in keys and scalars; say whether all of the state was read."""
    needle = wanted.casefold()
    hits: list[Hit] = []
    for looked, (pointer, key, value) in enumerate(_walk(state)):
        if looked >= LOOKED_AT or len(hits) >= FOUND:
            return hits, False
        is_container = isinstance(value, dict | list)
        text = "" if is_container else _scalar(value)
        if needle in key.casefold() or needle in text.casefold():
            hits.append(Hit(pointer=pointer, text=summary(value)))
    return hits, True


def _walk(state: Json) -> Iterator[tuple[str, str, Json]]:
    stack: list[tuple[str, Iterator[tuple[str, Json]]]] = [("", _items(state))]
    while stack:
        base, items = stack[-1]
        for key, value in items:
            pointer = f"{base}/{escape(key)}"
            yield pointer, key, value
            if isinstance(value, dict | list):
                stack.append((pointer, _items(value)))
                break
        else:
            stack.pop()


def _items(value: Json) -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict):
        return iter(value.items())
    return ((str(index), item) for index, item in enumerate(value))


def _node(
    key: str,
    value: Json,
    pointer: str,
    room: _Room,
    *,
    level: int,
    start: int = 0,
) -> Node:
    shown: dict[str, Any] = {
        "key": shorten(key, 120) if key else key,
        "pointer": pointer,
        "kind": _kind(value),
        "text": summary(value),
        "is_changed": pointer in room.changed,
    }
    if not isinstance(value, dict | list):
        is_cut = isinstance(value, str) and len(value) > LONGEST_TEXT
        exact = "" if is_cut else _scalar(value)
        return Node(**shown, is_container=False, is_cut=is_cut, exact=exact)
    wanted = min(ITEMS, len(value) - start)
    if not value or wanted > room.left:
        return Node(**shown, is_container=True, n_more=len(value))
    room.left -= wanted
    some = list(islice(_items(value), start, start + wanted))
    children = [
        _node(name, item, place, room, level=level + 1)
        if room.reaches(place, level) or not isinstance(item, dict | list)
        else _closed(name, item, place)
        for name, item in some
        for place in [f"{pointer}/{escape(name)}"]
    ]
    return Node(
        **shown,
        is_container=True,
        is_open=room.opens(pointer, level),
        children=children,
        start=start,
        n_more=len(value) - start - len(some),
    )


def _closed(key: str, value: Json, pointer: str) -> Node:
    return Node(
        key=shorten(key, 120),
        pointer=pointer,
        kind=_kind(value),
        text=summary(value),
        is_container=True,
        n_more=len(value),
    )


def _kind(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    names = {str: "text", int: "number", float: "number", dict: "object", list: "list"}
    return names[type(value)]


def summary(value: Json) -> str:
    """Write a scalar, or how much a container holds."""
    if isinstance(value, dict):
        return count(len(value), "key") if value else "{}"
    if isinstance(value, list):
        return count(len(value), "item") if value else "[]"
    if isinstance(value, str):
        text = json.dumps(cut(value, LONGEST_TEXT), ensure_ascii=False)
        return shorten(text if len(value) <= LONGEST_TEXT else f"{text[:-1]}…", 320)
    return shorten(_scalar(value), LONGEST_TEXT)


def _scalar(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)
