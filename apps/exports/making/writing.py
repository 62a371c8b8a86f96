"""Write what a step made: objects first, then their rows, then the cursor."""

from __future__ import annotations

from datetime import datetime

from django.db import connection

from apps.blobs.digests import new_generation
from apps.blobs.places import asking
from apps.exports.kinds.made import Made
from apps.exports.models import Export, Piece

# No object is larger: a store keeps one in one request.
OBJECT_BYTES = 8 * 1024 * 1024
# A store that hangs is said to be away before the database ends a step that waits.
PATIENCE = "60s"


def wait_for_store() -> None:
    """Let this transaction wait for the store for longer than others may wait."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('idle_in_transaction_session_timeout', %s, true)",
            [PATIENCE],
        )


def write(export: Export, made: Made, now: datetime) -> None:
    """Keep the bytes, and move the cursor, within the caller's transaction.

    Raises: ObjectsUnavailable, ObjectsFull: what was written then has no row.
    """
    for start in range(0, len(made.data), OBJECT_BYTES):
        _keep(export, bytes(made.data[start : start + OBJECT_BYTES]), now)
    export.rows += made.rows
    counted = made.left_out + made.left_out.__class__(export.left_out)
    export.left_out = dict(sorted(counted.items()))
    export.is_written = made.cursor is None
    export.cursor = made.cursor or {}
    export.waits_for = ""
    export.save(
        update_fields=[
            *("cursor", "is_written", "waits_for", "pieces"),
            *("rows", "bytes", "left_out"),
        ]
    )


def _keep(export: Export, data: bytes, now: datetime) -> None:
    piece = Piece(
        export=export,
        number=export.pieces,
        generation=new_generation(now),
        size=len(data),
    )
    with asking() as store:
        store.create(piece.object_name, data)
    piece.save(force_insert=True)
    export.pieces += 1
    export.bytes += len(data)
