"""Where a pointer may lead, and how a value may be written. Pure.

A pointer does not say whether `0` is a key or a position, and the changes of a list
whose items have an id are recorded by that id: `/items/A-17/qty` names what
`/items/0/qty` names while that item comes first. `id=A-17` says which key it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice, product

from apps.core import json
from apps.core.errors import MalformedJson, UnacceptableJson
from apps.core.json import Json
from apps.diffs import lists, pointers
from apps.diffs.equality import same
from apps.diffs.paths import Item, Path
from apps.timeline.ledger.facts import index
from apps.timeline.search.clauses import Match, Scalar

MOST_PATHS = 256

Segment = str | int | Item

_CONTAINERS = (dict, list)
_INDEX = re.compile(r"0|[1-9][0-9]{0,9}", re.ASCII)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)


def written_as(value: Scalar, match: Match) -> list[Scalar]:
    """Return every JSON scalar that this value finds."""
    found = _numbers(value)
    if match is Match.EITHER:
        if isinstance(value, str):
            found += _numbers(_parsed(value))
        else:
            found.append(json.dumps(value).decode())
    return [one for at, one in enumerate(found) if not _among(one, found[:at])]


def value_keys(key: bytes, values: list[Scalar]) -> list[bytes]:
    """Return the digests of those that are short enough to be found by one."""
    keys = (index.value_key(key, value) for value in values)
    return [one for one in keys if one is not None]


def paths(pointer: str) -> list[Path]:
    """Return the canonical paths under which this pointer may be recorded.

    Plain keys first. At most `MOST_PATHS`: where there would be more, only one
    segment is taken for the id of an item.
    """
    tokens = pointers.split(pointer)
    plain = [_plain(token) for token in tokens]
    items: list[list[Segment]] = [[], *map(_named, tokens[1:])]
    options = [some + others for some, others in zip(plain, items, strict=False)]
    count = 1
    for some in options:
        count *= len(some)
    if count <= MOST_PATHS:
        return list(product(*options))
    found = list(islice(product(*plain), MOST_PATHS // 2))
    for at in range(len(tokens) - 1, 0, -1):
        one_item = [some[-1:] for some in plain]
        one_item[at] = items[at]
        found += product(*one_item)
    return found[:MOST_PATHS]


def locate(state: Json, pointer: str) -> Iterator[tuple[str, Json]]:
    """Yield the places that a pointer may mean in this state, with what stands there.

    The pointer as it is first; then those where a segment is the id of an item.
    """
    yield from _located(state, "", pointers.split(pointer))


def holding(state: Json, values: list[Scalar]) -> Iterator[str]:
    """Yield the pointers at which a state holds one of these values.

    A pointer is made of what may lead to one and of nothing else: of 75,000 values
    each took 2 µs, and to ask whether it is wanted takes 0.05.
    """
    wanted = set(values)
    waiting: list[tuple[str, Json]] = [("", state)]
    for place, container in waiting:  # grows while it is read
        for token, one in _entries(container):
            if one.__class__ in _CONTAINERS:
                waiting.append((f"{place}/{pointers.escape(str(token))}", one))
            elif one in wanted and _among(one, values):
                yield f"{place}/{pointers.escape(str(token))}"


def named(state: Json, folded: str) -> Iterator[str]:
    """Yield the pointers of texts, and of keys that are ids, that read so in any case.

    `folded` is what they read, without its case.
    """
    waiting: list[tuple[str, Json]] = [("", state)]
    for place, container in waiting:  # grows while it is read
        for token, one in _entries(container):
            inner = f"{place}/{pointers.escape(str(token))}"
            if _reads(one, folded) or (index.is_id(token) and _reads(token, folded)):
                yield inner
            if one.__class__ in _CONTAINERS:
                waiting.append((inner, one))


def at_pointer(state: Json, pointer: str, values: list[Scalar]) -> Iterator[str]:
    """Yield the places a pointer means at which one of these values stands."""
    for place, value in locate(state, pointer):
        if not isinstance(value, dict | list) and _among(value, values):
            yield place


def has_position(pointer: str) -> bool:
    return any(_INDEX.fullmatch(token) for token in pointers.split(pointer))


def _located(value: Json, place: str, tokens: list[str]) -> Iterator[tuple[str, Json]]:
    if not tokens:
        yield place, value
        return
    token, rest = tokens[0], tokens[1:]
    if pointers.has(value, token):
        inner = f"{place}/{pointers.escape(token)}"
        yield from _located(pointers.step(value, token), inner, rest)
    if isinstance(value, list) and (name := lists.identity_key(value)):
        wanted = {item for item in _items(token) if item.key == name}
        for at, one in enumerate(value):
            if Item(name, one[name]) in wanted:
                yield from _located(one, f"{place}/{at}", rest)


def _plain(token: str) -> list[Segment]:
    return [token, int(token)] if _INDEX.fullmatch(token) else [token]


def _named(token: str) -> list[Segment]:
    return [*_items(token)]


def _items(token: str) -> list[Item]:
    """Return the items that a segment may name."""
    name, is_named, value = token.partition("=")
    if is_named and name in lists.IDENTITY_KEYS:
        return _item(name, value)
    return [item for key in lists.IDENTITY_KEYS for item in _item(key, token)]


def _item(key: str, value: str) -> list[Item]:
    number = [Item(key, int(value))] if _INDEX.fullmatch(value) else []
    return [Item(key, value), *number]


def _entries(container: Json) -> Iterable[tuple[str | int, Json]]:
    if isinstance(container, dict):
        return container.items()
    return enumerate(container) if isinstance(container, list) else ()


def _numbers(value: Json) -> list[Scalar]:
    """Return a scalar, and a whole number in both its spellings."""
    both: list[Scalar]
    if type(value) is int and abs(value) <= 2**53:
        both = [value, float(value)]
    elif type(value) is float and value.is_integer() and abs(value) <= 2**53:
        both = [value, int(value)]
    else:
        return [value]
    return [*both, -0.0] if value == 0 else both


def _parsed(text: str) -> Json:
    if text in ("true", "false", "null") or _NUMBER.fullmatch(text):
        try:
            return json.parse(text.encode())
        except (MalformedJson, UnacceptableJson):
            return text
    return text


def _reads(value: Json, folded: str) -> bool:
    return isinstance(value, str) and value.casefold() == folded


def _among(value: Json, values: list[Scalar]) -> bool:
    return any(same(value, one) for one in values)
