"""Reading the file of an export, a piece at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import chain

from apps.blobs.errors import ObjectsUnavailable
from apps.blobs.places import asking
from apps.data.errors import ExportNotFound
from apps.exports.models import Export, Piece


def opened(*, export: Export, now: datetime) -> Iterator[bytes]:
    """Return the bytes of the file; the first piece is read before anything is sent.

    One that is erased meanwhile ends early: its length and digest were told before.

    Raises: ExportNotFound where there is none, or none any more; ObjectsUnavailable.
    """
    if not export.is_there(now):
        raise ExportNotFound(f"There is no file: the export is {export.state}.")
    pieces = list(Piece.objects.of_export(export.id))
    first = [read_piece(one) for one in pieces[:1]]
    return chain(first, _read(pieces[1:]))


def read_piece(piece: Piece) -> bytes:
    """Return the bytes of a piece.

    Raises: ObjectsUnavailable, also where they are not there or are others.
    """
    with asking() as store:
        found = store.get(piece.object_name)
    if found is None or len(found) != piece.size:
        raise ObjectsUnavailable
    return found


def _read(pieces: Sequence[Piece]) -> Iterator[bytes]:
    for one in pieces:
        yield read_piece(one)
