"""Reading the file of an export, a piece at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import chain

from apps.blobs.errors import ObjectsUnavailable
from apps.blobs.places import asking
from apps.data.errors import ExportNotFound
from apps.exports.models import Export, Piece


def opened(
    *, export: Export, now: datetime, start: int = 0, length: int | None = None
) -> Iterator[bytes]:
    """Return bytes of the file; the first piece is read before anything is sent.

    One that is erased meanwhile ends early: its length and digest were told before.

    Raises: ExportNotFound where there is none, or none any more; ObjectsUnavailable.
    """
    if not export.is_there(now):
        raise ExportNotFound(f"There is no file: the export is {export.state}.")
    end = export.bytes if length is None else start + length
    parts = list(_parts(Piece.objects.of_export(export.id), start, end))
    first = list(_read(parts[:1]))
    return chain(first, _read(parts[1:]))


def _parts(
    pieces: Iterable[Piece], start: int, end: int
) -> Iterator[tuple[Piece, slice]]:
    """Yield the pieces that have these bytes, each with which of its bytes."""
    at = 0
    for piece in pieces:
        first, last = max(start - at, 0), min(end - at, piece.size)
        if first < last:
            yield piece, slice(first, last)
        at += piece.size


def read_piece(*, piece: Piece) -> bytes:
    """Return the bytes of a piece.

    Raises: ObjectsUnavailable, also where they are not there or are others.
    """
    with asking() as store:
        found = store.get(piece.object_name)
    if found is None or len(found) != piece.size:
        raise ObjectsUnavailable
    return found


def _read(parts: Iterable[tuple[Piece, slice]]) -> Iterator[bytes]:
    for piece, part in parts:
        yield read_piece(piece=piece)[part]
