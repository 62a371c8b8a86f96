"""Where the members of a large object stand in its bytes, to compare it unparsed.

Of two states most members are alike, byte for byte: those are skipped, and only the
others are parsed. What `compare` says of the rest is what it says of the whole, since
it never looks into what is equal. Pure: values and bytes in, values out.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import orjson

from apps.diffs.changes import Json
from apps.diffs.facets import Leaves, leaves

# An outline of more, or of longer keys, would outweigh what it saves.
MEMBERS = 256
KEY_CHARACTERS = 16_384

Parse = Callable[[bytes], Json]
# Where a value begins and ends, and the SHA-256 of its bytes: to compare 16 MB would
# take longer than the rest of a rollback.
Span = tuple[int, int, bytes]
Spans = dict[str, Span]


@dataclass(frozen=True, slots=True)
class Outline:
    """Where the value of each key begins and ends, and the short scalars of all."""

    spans: Spans
    leaves: Leaves


@dataclass(frozen=True, slots=True)
class Outlined:
    """An object as it is written, with its outline."""

    data: memoryview
    outline: Outline

    def member(self, key: str, parse: Parse) -> Json:
        start, end, _ = self.outline.spans[key]
        return parse(bytes(self.data[start:end]))


def outline(state: Json, data: bytes) -> Outline | None:
    """Return the outline of a state that is written as `data`.

    None where there is none: too many keys, or bytes that another writer wrote.
    """
    if not isinstance(state, dict) or not 0 < len(state) <= MEMBERS:
        return None
    if sum(map(len, state)) > KEY_CHARACTERS:
        return None
    spans = _spans(state, data)
    return None if spans is None else Outline(spans, leaves(state))


def differing(before: Outlined, after: Outlined, parse: Parse) -> tuple[Json, Json]:
    """Return both objects without the members whose bytes are the same in both."""
    keys = {
        key for key in before.outline.spans if not _is_same_member(key, before, after)
    }
    keys |= after.outline.spans.keys() - before.outline.spans.keys()
    old, new = (
        {key: one.member(key, parse) for key in one.outline.spans if key in keys}
        for one in (before, after)
    )
    return old, new


def _spans(state: dict[str, Json], data: bytes) -> Spans | None:
    """Find each member where it must stand, and hold it against the bytes there."""
    spans: Spans = {}
    at = 1
    for key, value in state.items():
        try:
            name, written = orjson.dumps(key) + b":", orjson.dumps(value)
        except TypeError:  # an integer beyond 64 bits
            return None
        start = at + len(name)
        end = start + len(written)
        if not data.startswith(name, at) or not data.startswith(written, start):
            return None
        if not data.startswith((b",", b"}"), end):
            return None
        spans[key] = (start, end, hashlib.sha256(written).digest())
        at = end + 1
    return spans if at == len(data) else None


def _is_same_member(key: str, before: Outlined, after: Outlined) -> bool:
    if key not in after.outline.spans:
        return False
    (start, end, one), (other, stop, two) = (
        before.outline.spans[key],
        after.outline.spans[key],
    )
    return end - start == stop - other and one == two
