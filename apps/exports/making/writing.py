"""Write what a step made: objects first, then their rows, then the cursor."""

from __future__ import annotations

from datetime import datetime

from django.db import connection

from apps.blobs.digests import new_generation
from apps.blobs.places import asking
from apps.exports.kinds import PACKED, Made
from apps.exports.making.packing import MOST_ENTRIES, ended, packed
from apps.exports.models import Export, Piece

# No object is larger: a store keeps one in one request.
OBJECT_BYTES = 8 * 1024 * 1024
# A store that hangs is said to be away before the database ends a step that waits.
PATIENCE = "60s"
WRITTEN = (
    *("cursor", "is_written", "waits_for", "pieces", "entries"),
    *("rows", "bytes", "left_out", "verified"),
)


def wait_for_store() -> None:
    """Let this transaction wait for the store for longer than others may wait."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('idle_in_transaction_session_timeout', %s, true)",
            [PATIENCE],
        )


def write(export: Export, made: Made, now: datetime) -> None:
    """Keep what was made, and move the cursor, within the caller's transaction.

    Raises: ObjectsUnavailable, ObjectsFull: what was written then has no row.
    """
    data, directory = bytes(made.data), b""
    if export.kind in PACKED:
        data, directory = packed(made.entries, start=export.bytes, at=export.created_at)
        export.entries += len(made.entries)
    _keep_all(export, data, directory, now)
    # One of more entries has no end, and fails after this step.
    is_packed = export.kind in PACKED and export.entries <= MOST_ENTRIES
    if made.cursor is None and is_packed:
        _keep_all(export, _end(export), b"", now)
    export.rows += made.rows
    left_out = made.left_out + made.left_out.__class__(export.left_out)
    export.left_out = dict(sorted(left_out.items()))
    export.verified = [*export.verified, *made.verified]
    export.is_written = made.cursor is None
    export.cursor = made.cursor or {}
    export.waits_for = ""
    export.save(update_fields=WRITTEN)


def _end(export: Export) -> bytes:
    pieces = Piece.objects.of_export(export.id).values_list("directory", flat=True)
    listed = b"".join(map(bytes, pieces))
    return ended(listed, count=export.entries, start=export.bytes)


def _keep_all(export: Export, data: bytes, directory: bytes, now: datetime) -> None:
    """Keep bytes as objects; the first has the list of what is in all of them."""
    for start in range(0, len(data), OBJECT_BYTES):
        _keep(export, data[start : start + OBJECT_BYTES], directory, now)
        directory = b""


def _keep(export: Export, data: bytes, directory: bytes, now: datetime) -> None:
    piece = Piece(
        export=export,
        number=export.pieces,
        generation=new_generation(now),
        size=len(data),
        directory=directory,
    )
    with asking() as store:
        store.keep(piece.object_name, data)
    piece.save(force_insert=True)
    export.pieces += 1
    export.bytes += len(data)
