"""Make exports by steps, each one transaction that can be the last.

A step writes a piece of the file and moves the cursor behind the sessions in it: who is
killed has written nothing of that piece, and the next sweep goes on from there. Each
holds the export's row: of two sweeps at once, one passes it by.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from datetime import datetime, timedelta

import structlog
from django.db import DatabaseError, transaction

from apps.exports.chat import Untold
from apps.exports.making.telling import told
from apps.exports.models import Export, Piece
from apps.exports.words import State
from apps.timeline.models import Session
from apps.timeline.querysets import SessionQuerySet

KEPT = timedelta(days=7)
# A step looks at so many sessions, or ends behind the one that fills the piece.
SESSIONS = 50
PIECE_BYTES = 1024 * 1024
MOST_BYTES = 512 * 1024 * 1024
# Steps of one export in a sweep: then the others have their turn.
STEPS = 20

log = structlog.get_logger("stepback.exports")


def sweep(*, now: datetime) -> None:
    """Go on with all exports that are being made."""
    for export_id in list(Export.objects.making().values_list("id", flat=True)):
        try:
            for _ in range(STEPS):
                if not step(export_id, now=now):
                    break
        except DatabaseError:
            # Of all exports, not of this one: the next sweep goes on.
            raise
        except Exception as error:
            log.exception("an export fails", id=export_id, why=type(error).__name__)
            _fail_by_id(export_id, now)


@transaction.atomic
def step(export_id: str, *, now: datetime) -> bool:
    """Write the next piece of an export; say whether there is more to do."""
    export = _held(export_id)
    if export is None:
        return False
    looked = list(_sessions(export)[:SESSIONS])
    if not looked:
        _finish(export, now)
        return False
    if not _write(export, looked):
        _fail(export, "The file would be larger than 512 MiB: narrow it.", now)
        return False
    return True


def forget(*, now: datetime) -> None:
    """Delete the files that were kept for as long as they are."""
    for export_id in list(Export.objects.over(now).values_list("id", flat=True)):
        with transaction.atomic():
            if (
                Export.objects.over(now)
                .filter(id=export_id)
                .update(state=State.EXPIRED)
            ):
                Piece.objects.filter(export_id=export_id).delete()


def _held(export_id: str) -> Export | None:
    """Hold an export's row while it is being made; None for one that is not, or is."""
    making = Export.objects.making().filter(id=export_id)
    return making.select_for_update(skip_locked=True, of=("self",)).first()


def _sessions(export: Export) -> SessionQuerySet:
    """Return the sessions behind the cursor that the filters of their rows let in."""
    asked = export.asked
    found = Session.objects.of_project(export.project_id)
    found = found.of_agent(export.project_id, asked.get("agent"))
    found = found.reviewed(asked.get("outcome"))
    if (rolled_back := asked.get("rolled_back")) is not None:
        found = (
            found.filter(rollback_count__gt=0)
            if rolled_back
            else found.filter(rollback_count=0)
        )
    # What begins later is not asked for, else it might never end.
    found = found.filter(created_at__lte=export.created_at)
    return found.oldest_first(after_id=export.cursor or None)


def _write(export: Export, looked: list[Session]) -> bool:
    """Write the lines of these sessions as a piece; False where it gets too large."""
    data, reasons = bytearray(), Counter[str](export.left_out)
    for session in looked:
        try:
            written = told(session, export.asked)
        except Untold as untold:
            reasons[untold.reason] += 1
        else:
            data += written or b""
            export.rows += written is not None
        export.cursor = session.id
        if len(data) >= PIECE_BYTES:
            break
    if data:
        Piece.objects.create(export=export, number=export.pieces, data=bytes(data))
        export.pieces += 1
    export.bytes += len(data)
    export.left_out = dict(sorted(reasons.items()))
    export.save(update_fields=["cursor", "pieces", "rows", "bytes", "left_out"])
    return export.bytes <= MOST_BYTES


def _finish(export: Export, now: datetime) -> None:
    digest = hashlib.sha256()
    pieces = Piece.objects.filter(export_id=export.id).order_by("number")
    for data in pieces.values_list("data", flat=True).iterator(chunk_size=4):
        digest.update(data)
    export.state, export.sha256 = State.READY, digest.hexdigest()
    export.ended_at, export.expires_at = now, now + KEPT
    export.save(update_fields=["state", "sha256", "ended_at", "expires_at"])


@transaction.atomic
def _fail_by_id(export_id: str, now: datetime) -> None:
    export = _held(export_id)
    if export is not None:
        _fail(export, "It could not be made; the server's log says why.", now)


def _fail(export: Export, why: str, now: datetime) -> None:
    Piece.objects.filter(export_id=export.id).delete()
    export.state, export.error, export.ended_at = State.FAILED, why, now
    export.save(update_fields=["state", "error", "ended_at"])
