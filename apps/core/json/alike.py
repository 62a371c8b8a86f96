"""Parse an object most of whose members are those of another that is parsed already.

The states that are merged differ in a few members. What is written alike is not parsed
again, and is then the very same value in both: to compare it costs nothing either.
"""

from __future__ import annotations

import orjson

from apps.core.json.parsing import parse_written
from apps.core.json.values import Json, State

# To write members one by one saves nothing where there are thousands.
MOST_MEMBERS = 256

# A member's key and value, and both as they are written.
Member = tuple[str, Json, bytes]


def members_of(state: State) -> list[Member]:
    """Return the members of a state, none where to write them does not pay."""
    if len(state) > MOST_MEMBERS:
        return []
    try:
        return [
            (key, value, orjson.dumps(key) + b":" + orjson.dumps(value))
            for key, value in state.items()
        ]
    except TypeError:  # an integer beyond 64 bits
        return []


def parse_alike(data: bytes, known: list[Member]) -> Json:
    """Return what `parse_written` does, with the values of members written as known.

    They are taken from the front and from the end as long as they follow each other in
    the known order; what stands between is parsed.

    Raises: MalformedJson for what is no JSON.
    """
    if not data.startswith(b"{") or not data.endswith(b"}"):
        return parse_written(data)
    front, start = _front(data, known)
    if start == len(data):
        return front
    back, end = _back(data, known, start)
    if start == end:
        return {**front, **back} if back else parse_written(data)
    if not front and not back:
        return parse_written(data)
    return {**front, **parse_written(b"{" + data[start:end] + b"}"), **back}


def _front(data: bytes, known: list[Member]) -> tuple[State, int]:
    """Return the first members that are known, and where the next one begins.

    That is the end of the data if there is none.
    """
    found: State = {}
    at = 1
    for key, value, written in known:
        end = at + len(written)
        is_last = end == len(data) - 1
        if not data.startswith(written, at) or not (
            is_last or data.startswith(b",", end)
        ):
            break
        found[key] = value
        at = end + 1
    return found, at


def _back(data: bytes, known: list[Member], start: int) -> tuple[State, int]:
    """Return the last members that are known, and where the one before them ends.

    A comma before a key is none within a text: there a quote would be escaped. And what
    is whole up to the last brace stands in no member of the object itself.
    """
    found: list[tuple[str, Json]] = []
    end = len(data) - 1
    for key, value, written in reversed(known):
        at = end - len(written)
        is_first = at == start
        if at < start or not data.startswith(written, at):
            break
        if not is_first and (at - 1 == start or data[at - 1] != ord(",")):
            break
        found.append((key, value))
        end = at if is_first else at - 1
    return dict(reversed(found)), end
