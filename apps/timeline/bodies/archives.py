"""Bodies that stand in an object outside the database, and the locators that find them.

An archived body's data is a locator: the object, where in it the body's bytes are, and
their SHA-256. Its codec is that of these bytes and 32 more; all else of its row stays
as it was. The bodies of a key-frame group lie together: whoever reads one has those
that it builds on by the same request.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from apps.blobs.errors import ObjectsUnavailable
from apps.blobs.places import asking
from apps.timeline.bodies.bundles import CorruptBody
from apps.timeline.words import ARCHIVED

# All archives lie below this, each below its session: names are ours.
FOLDER = "archives"
# One request reads so much of a group at most, or the one body that is larger.
SPAN_BYTES = 1024 * 1024
# So much of what was fetched a reader keeps, beside the span that it is in.
KEPT_BYTES = 4 * 1024 * 1024
_LOCATOR = struct.Struct(">B31sQQIQI32s")
_FORMAT = 1
_ID = re.compile(rb"arch_[0-9a-z]{26}")
_NAME = re.compile(rf"{FOLDER}/(\w+)/(arch_[0-9a-z]{{26}})-(\d+)", re.ASCII)


class Piece(NamedTuple):
    """Where bytes lie in an object."""

    start: int
    length: int

    @property
    def end(self) -> int:
        return self.start + self.length


@dataclass(frozen=True, slots=True)
class Locator:
    """Where a body's bytes are, and in which span they are fetched with others."""

    archive_id: str
    # The highest number of a body in it: as long as anything names it, that one does.
    top: int
    own: Piece
    span: Piece
    digest: bytes

    @property
    def data(self) -> bytes:
        """What stands in the row in place of the bytes."""
        return _LOCATOR.pack(
            _FORMAT,
            self.archive_id.encode(),
            self.top,
            *self.own,
            *self.span,
            self.digest,
        )

    def object_name(self, session_id: str) -> str:
        """Return the name of the object in the store."""
        # Without a full stop, which tells a blob's generation.
        return f"{FOLDER}/{session_id}/{self.archive_id}-{self.top}"


def located(data: bytes) -> Locator:
    """Return what a row says of its archived body.

    Raises: CorruptBody.
    """
    try:
        version, archive_id, top, *places, digest = _LOCATOR.unpack(data)
    except struct.error as error:
        raise CorruptBody("Where it was archived does not read.") from error
    own, span = Piece(*places[:2]), Piece(*places[2:])
    within = span.start <= own.start and own.end <= span.end
    if version != _FORMAT or not _ID.fullmatch(archive_id) or not within:
        raise CorruptBody("Where it was archived does not read.")
    return Locator(archive_id.decode(), top, own, span, digest)


def named(object_name: str) -> tuple[str, str, int] | None:
    """Return session, archive and highest body of a name; None for what is not ours."""
    found = _NAME.fullmatch(object_name)
    return None if found is None else (found[1], found[2], int(found[3]))


def packed(
    archive_id: str, groups: Sequence[Sequence[tuple[int, bytes]]]
) -> tuple[bytes, dict[int, Locator]]:
    """Return an object of groups of bodies, and by number where each of them is in it.

    What lies together in a group is in one span, up to `SPAN_BYTES`.
    """
    top = max(number for group in groups for number, _ in group)
    written: list[bytes] = []
    found: dict[int, Locator] = {}
    at = 0
    for group in groups:
        for start, members in _spans(group, at):
            span = Piece(start, sum(len(data) for _, data in members))
            for number, data in members:
                digest = hashlib.sha256(data).digest()
                own = Piece(at, len(data))
                found[number] = Locator(archive_id, top, own, span, digest)
                written.append(data)
                at += len(data)
    return b"".join(written), found


def _spans(
    group: Sequence[tuple[int, bytes]], at: int
) -> Iterator[tuple[int, list[tuple[int, bytes]]]]:
    members: list[tuple[int, bytes]] = []
    size = 0
    for number, data in group:
        if members and size + len(data) > SPAN_BYTES:
            yield at, members
            at, members, size = at + size, [], 0
        members.append((number, data))
        size += len(data)
    if members:
        yield at, members


def length_of_locator(column: str) -> str:
    """Return SQL for how many bytes a locator stands for."""
    return f"('x' || encode(substr({column}, 49, 4), 'hex'))::bit(32)::bigint"


class Spans:
    """What one reader has fetched of archives: each span once, while it is in it."""

    # Most readers meet no archive: they make none of it.
    _found: OrderedDict[tuple[str, int], bytes] | None = None
    _bytes = 0

    def brought(self, codec: int, data: bytes, session_id: str) -> tuple[int, bytes]:
        """Return codec and data as they were before they were archived, if they were.

        Raises: CorruptBody where an object is missing or was changed;
        ObjectsUnavailable.
        """
        if codec < ARCHIVED:
            return codec, data
        at = located(bytes(data))
        name = at.object_name(session_id)
        span = self._span(name, at.span)
        start = at.own.start - at.span.start
        found = span[start : start + at.own.length]
        if hashlib.sha256(found).digest() != at.digest:
            raise CorruptBody(f"In {name} there is not what was archived.")
        return codec - ARCHIVED, found

    def _span(self, name: str, span: Piece) -> bytes:
        known = self._found = self._found or OrderedDict()
        key = (name, span.start)
        found = known.get(key)
        if found is None:
            found = known[key] = _fetched(name, span)
            self._bytes += len(found)
            while self._bytes > KEPT_BYTES and len(known) > 1:
                _, dropped = known.popitem(last=False)
                self._bytes -= len(dropped)
        return found


def _fetched(name: str, span: Piece) -> bytes:
    """Raises: CorruptBody, ObjectsUnavailable."""
    if not span.length:
        return b""
    try:
        with asking() as store:
            found = store.range(name, *span)
    except ObjectsUnavailable:
        # A store says the same of an object that ends before, and that is no outage.
        if _ends_before(name, span):
            raise CorruptBody(f"{name} is shorter than what was archived.") from None
        raise
    if found is None:
        raise CorruptBody(f"There is no object {name}.")
    return found


def _ends_before(name: str, span: Piece) -> bool:
    """Raises: ObjectsUnavailable."""
    with asking() as store:
        size = store.size(name)
    return size is not None and size < span.end
