"""Take what is outside the database: files nobody else names, archives, exports."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

import structlog
from django.db import transaction

from apps.blobs import operations as blobs
from apps.blobs.errors import ObjectsUnavailable
from apps.erasures.models import Erasure, Target
from apps.erasures.running.counting import count
from apps.erasures.running.holding import hold
from apps.erasures.words import Waits
from apps.exports import operations as exports
from apps.timeline.operations import delete_archives

log = structlog.get_logger("stepback.erasures")


def take_files(erasure: Erasure, now: datetime) -> bool:
    """Delete the blobs; False where an append may still be about to name one.

    What nobody may name any more is said first, in a transaction of its own: whoever is
    killed while objects are deleted leaves rows that say so.

    So it is where the store is away. Raises: Over.
    """
    waiting = _condemn(erasure, now)
    try:
        _take(erasure)
        for export_id in exports.remaining_in(project_id=erasure.project_id):
            _take_export(erasure, export_id)
        for target in Target.objects.of(erasure.id):
            # All that there is below its name: also what somebody wrote who was killed.
            delete_archives(session_id=target.history_id)
    except ObjectsUnavailable as away:
        log.warning("the store of files does not answer", why=str(away.__cause__))
        return False
    return not waiting


@transaction.atomic
def _condemn(erasure: Erasure, now: datetime) -> int:
    locked = hold(erasure)
    waiting = blobs.condemn_erased(erasure_id=locked.id, now=now)
    waits_for = Waits.FILES if waiting else ""
    if locked.waits_for != waits_for:
        locked.waits_for = waits_for
        locked.save(update_fields=["waits_for"])
    return waiting


@transaction.atomic
def _take(erasure: Erasure) -> None:
    locked = hold(erasure)
    count(locked, Counter(files=blobs.take_erased(erasure_id=locked.id)))


@transaction.atomic
def _take_export(erasure: Erasure, export_id: str) -> None:
    """Delete the file of an export, which may have told of the person."""
    locked = hold(erasure)
    gone = exports.take_pieces(export_id=export_id)
    count(locked, Counter(export_pieces=gone))
