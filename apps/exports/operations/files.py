"""Reading the file of an export, a piece at a time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from apps.data.errors import ExportNotFound
from apps.exports.models import Export, Piece


def opened(*, export: Export, now: datetime) -> Iterator[bytes]:
    """Return the bytes of the file.

    One that is erased meanwhile ends early: its length and digest were told before.

    Raises: ExportNotFound where there is none, or none any more.
    """
    if not export.is_there(now):
        raise ExportNotFound(f"There is no file: the export is {export.state}.")
    return _pieces(export)


def _pieces(export: Export) -> Iterator[bytes]:
    for number in range(export.pieces):
        found = Piece.objects.filter(export_id=export.id, number=number)
        data = found.values_list("data", flat=True).first()
        if data is None:
            return
        yield bytes(data)
