"""Make exports by steps, each one transaction that can be the last.

A step writes pieces of the file and moves the cursor behind what is in them: who is
killed has moved nothing, and the next sweep goes on from there; an object that it left
is of no piece and goes. Each holds the export's row: of two sweeps at once, one passes
it by, and an erasure waits for the step.
"""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta

import structlog
from django.db import transaction

from apps.agents.errors import AgentNotFound
from apps.blobs.errors import ObjectsFull, ObjectsUnavailable
from apps.core.database.troubles import is_in_trouble
from apps.core.keyring import KeysUnavailable
from apps.exports.kinds import STEPS
from apps.exports.making.packing import MOST_ENTRIES
from apps.exports.making.writing import wait_for_store, write
from apps.exports.models import Export
from apps.exports.operations import read_piece, take_pieces
from apps.exports.words import State, Waits
from apps.timeline.errors import SessionNotFound
from apps.timeline.versions import CorruptBody

KEPT = timedelta(days=7)
MOST_BYTES = 512 * 1024 * 1024
# Steps of one export in a sweep: then the others have their turn.
AT_ONCE = 20
TOO_LARGE = "The file would be larger than 512 MiB: narrow it."
TOO_MANY = "The archive would have more than 65,535 entries: narrow it."
DAMAGED = "What is stored is not what was written: verify the session first."
NO_SPACE = "The store of files has no space left."
UNKNOWN = "It could not be made; the server's log says why."

log = structlog.get_logger("stepback.exports")


def sweep(*, now: datetime) -> None:
    """Go on with all exports that are being made."""
    for export_id in list(Export.objects.making().values_list("id", flat=True)):
        try:
            _go_on(export_id, now)
        except ObjectsUnavailable as away:
            log.warning("the store of files does not answer", why=str(away.__cause__))
            _wait(export_id, Waits.STORE)
        except KeysUnavailable as away:
            log.warning("an export waits for keys", id=export_id, why=away.message)
            _wait(export_id, Waits.KEYS)
        except Exception as error:
            # The database is gone or in need: the next sweep goes on.
            if is_in_trouble(error):
                raise
            log.exception("an export fails", id=export_id, why=type(error).__name__)
            _fail(export_id, UNKNOWN, now)


def _go_on(export_id: str, now: datetime) -> None:
    """Do some steps of an export; what it cannot become any more ends it in words.

    Raises: ObjectsUnavailable.
    """
    try:
        for _ in range(AT_ONCE):
            if not step(export_id, now=now):
                return
    except ObjectsFull:
        _fail(export_id, NO_SPACE, now)
    except CorruptBody:
        _fail(export_id, DAMAGED, now)
    except (SessionNotFound, AgentNotFound) as gone:
        _fail(export_id, gone.message, now)


def step(export_id: str, *, now: datetime) -> bool:
    """Do the next step of an export; say whether there is more to do.

    Raises: ObjectsUnavailable, ObjectsFull.
    """
    export = _written(export_id, now)
    if export is None:
        return False
    if export.bytes > MOST_BYTES or export.entries > MOST_ENTRIES:
        _fail(export_id, TOO_LARGE if export.bytes > MOST_BYTES else TOO_MANY, now)
        return False
    if not export.is_written:
        return True
    _finish(export, now)
    return False


@transaction.atomic
def _written(export_id: str, now: datetime) -> Export | None:
    """Write the next pieces of an export, if some are to come, and return it."""
    export = _held(export_id)
    if export is not None and not export.is_written:
        wait_for_store()
        write(export, STEPS[export.kind](export), now)
    return export


def _held(export_id: str) -> Export | None:
    """Hold an export's row while it is being made; None for one that is not, or is."""
    making = Export.objects.making().filter(id=export_id)
    return making.select_for_update(skip_locked=True, of=("self",)).first()


def _finish(export: Export, now: datetime) -> None:
    """Read the file back for its digest, then say that it is ready.

    Raises: ObjectsUnavailable.
    """
    digest = hashlib.sha256()
    for piece in export.piece_set.of_export(export.id):
        digest.update(read_piece(piece=piece))
    with transaction.atomic():
        held = _held(export.id)
        if held is None:
            return
        held.state, held.sha256, held.waits_for = State.READY, digest.hexdigest(), ""
        held.ended_at, held.expires_at = now, now + KEPT
        held.save(
            update_fields=["state", "sha256", "waits_for", "ended_at", "expires_at"]
        )


def _wait(export_id: str, what: Waits) -> None:
    Export.objects.making().filter(id=export_id).update(waits_for=what)


def _fail(export_id: str, why: str, now: datetime) -> None:
    with transaction.atomic():
        export = _held(export_id)
        if export is None:
            return
        export.state, export.error, export.ended_at = State.FAILED, why, now
        export.save(update_fields=["state", "error", "ended_at"])
    try:
        take_pieces(export_id=export_id)
    except ObjectsUnavailable:
        # They are of no file by now: the hourly sweep takes them.
        return
