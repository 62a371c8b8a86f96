"""The messages that an agent keeps in its checkpoints, and which version brought each.

An agent that records no turns often keeps the conversation itself: as the part
`messages` of its checkpoints, or as a list of that name in its state, as LangGraph
does. Each version holds the whole list, so it brought what the version before it does
not hold. Reading successive versions therefore tells of every message where it came
from, also of those that a rollback set aside or that the agent has dropped since; no
index could tell it of a part. A window is bounded by versions and by bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from apps.core import json
from apps.core.errors import Busy, DomainError
from apps.core.json import Json
from apps.timeline.bodies import CorruptBody
from apps.timeline.queries.listing import within_bytes
from apps.timeline.versions import fetching, reading
from apps.timeline.versions.reading import VersionRow

NAME = "messages"
VERSIONS = 60
MESSAGES = 60
# Of a list, so many tell whether it is a conversation.
LOOKED_AT = 20


class MessagePlace(NamedTuple):
    """Where a message is: the version that brought it, and its place in that list."""

    number: int
    item: int


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptMessage:
    """A message, and the version that brought it.

    `is_rewritten`: the version before held another message of the same id.
    """

    place: MessagePlace
    version: VersionRow
    message: Json
    is_rewritten: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class MessageWindow:
    """Messages of successive versions, oldest first.

    `first` and `last` are the versions that were read; `unreadable` are those whose
    stored body is not what was written.
    """

    messages: Sequence[KeptMessage] = ()
    first: int = 0
    last: int = 0
    unreadable: Sequence[int] = ()
    has_earlier: bool = False
    has_later: bool = False


def kept_messages(version: VersionRow) -> list[Json]:
    """Return the list of messages that a version holds; an empty one for none.

    Raises: CorruptBody.
    """
    for part in reading.parts(version):
        if part.name == NAME and part.data != b"[]":
            return _list(part.data)
    if f'"{NAME}"'.encode() not in reading.state(version):
        return []
    found = reading.parsed(version).get(NAME)
    return found if isinstance(found, list) else []


def are_messages(values: Sequence[Json]) -> bool:
    """Return whether a list is a conversation: each item says who speaks, and what."""
    return bool(values) and all(
        isinstance(one, dict)
        and any(isinstance(one.get(key), str) for key in ("role", "type"))
        and any(key in one for key in ("content", "tool_calls"))
        for one in values[:LOOKED_AT]
    )


def message_window(
    session_id: str,
    *,
    after: MessagePlace | None = None,
    before: MessagePlace | None = None,
) -> MessageWindow:
    """Return the messages after a place, or the last ones before it.

    Without a message in it a window still moves on: by the versions that it read.
    """
    rows, has_more = _versions(session_id, after, before)
    if not rows:
        return MessageWindow()
    lists, unreadable = _lists(rows)
    found = list(_brought(rows, lists))
    has_base = rows[0].number > 0
    window = MessageWindow(
        first=rows[0].number + has_base, last=rows[-1].number, unreadable=unreadable
    )
    if before is not None:
        found = [one for one in found if one.place < before]
        return replace(
            window,
            messages=found[-MESSAGES:],
            has_earlier=has_base or len(found) > MESSAGES,
            has_later=True,
        )
    found = [one for one in found if after is None or one.place > after]
    return replace(
        window,
        messages=found[:MESSAGES],
        has_earlier=after is not None,
        has_later=has_more or len(found) > MESSAGES,
    )


def _versions(
    session_id: str, after: MessagePlace | None, before: MessagePlace | None
) -> tuple[list[VersionRow], bool]:
    """Read the versions of a window, oldest first, and whether there are more.

    The first is the version to compare the others with, unless it is version 0.
    """
    if before is not None:
        rows = fetching.versions_of(
            session_id, newest_first=True, after=before.number + 1, limit=VERSIONS
        )
        kept = _within_bytes(rows)
        return kept[::-1], len(rows) > len(kept)
    first = None if after is None or after.number < 2 else after.number - 2
    rows = fetching.versions_of(
        session_id, newest_first=False, after=first, limit=VERSIONS + 1
    )
    kept = _within_bytes(rows[: VERSIONS + 1])
    return kept, len(rows) > len(kept)


def _within_bytes(rows: list[VersionRow]) -> list[VersionRow]:
    """Cut where there is too much to decode.

    Three are left, so that a window moves on: the one to compare with, the one that a
    place names, and the next.
    """
    return [*rows[:2], *within_bytes(rows[2:], lambda one: one.body_size)]


def _lists(rows: Sequence[VersionRow]) -> tuple[dict[int, list[Json]], list[int]]:
    """Return the messages of each body, and the versions that cannot be read."""
    lists: dict[int, list[Json]] = {}
    damaged: set[int] = set()
    # In one statement; where one body is damaged, each is then read by itself.
    with suppress(CorruptBody):
        reading.fetch([row for row in rows if not row.is_emptied])
    for row in rows:
        if row.body_number in lists or row.body_number in damaged:
            continue
        try:
            lists[row.body_number] = kept_messages(row)
        except Busy:
            raise
        except (CorruptBody, DomainError):
            damaged.add(row.body_number)
    unreadable = [row for row in rows if row.body_number in damaged]
    return lists, [row.number for row in unreadable if not row.is_emptied]


def _brought(
    rows: Sequence[VersionRow], lists: dict[int, list[Json]]
) -> Iterator[KeptMessage]:
    """Yield what each version brought; a rollback brings back, and brings nothing.

    After a version that cannot be read, the last one that can is compared with.
    """
    known: list[Json] | None = [] if rows[0].number == 0 else None
    for row in rows:
        held = lists.get(row.body_number)
        if held is None:
            continue
        if known is not None and held is not known and row.restored_number is None:
            yield from _fresh(row, known, held)
        known = held


def _fresh(
    version: VersionRow, known: list[Json], held: list[Json]
) -> Iterator[KeptMessage]:
    """Yield what is in a list and not in the one before; mostly it was appended."""
    start = len(known)
    left: Counter[bytes] = Counter()
    ids: set[str] = set()
    if held[:start] != known:
        start = 0
        left = Counter(map(json.dumps, known))
        ids = {one for one in map(_id, known) if one is not None}
    for index, message in enumerate(held[start:], start):
        written = json.dumps(message) if left else b""
        if left[written] > 0:
            left[written] -= 1
            continue
        yield KeptMessage(
            place=MessagePlace(version.number, index),
            version=version,
            message=message,
            is_rewritten=_id(message) in ids,
        )


def _id(message: Json) -> str | None:
    found = message.get("id") if isinstance(message, dict) else None
    return found if isinstance(found, str) else None


def _list(data: bytes) -> list[Json]:
    found = json.parse_written(data)
    return found if isinstance(found, list) else []
