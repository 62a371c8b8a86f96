"""Take away what only the sessions of an erasure named, without waiting for a day."""

from __future__ import annotations

from datetime import datetime

from django.db.models import F
from django.db.models.functions import Least

from apps.blobs.models import Blob, Use
from apps.blobs.operations.collecting import condemned, is_used, take
from apps.blobs.words import APPEND_IS_OVER


def mark_erased(*, session_id: str, erasure_id: str, now: datetime) -> int:
    """Note what a session names, before its uses go with it; return how many blobs.

    Leases end once every append has ended that renewed one before. Who renews one from
    now on has the bytes, or names them elsewhere: then they are that one's.
    """
    uses = Use.objects.of_session(session_id)
    project = uses.values_list("project_id", flat=True).first()
    if project is None:
        return 0
    named = Blob.objects.of_project(project).filter(digest__in=uses.values("digest"))
    ends = Least(F("leased_until"), now + APPEND_IS_OVER)
    return named.update(erasure_id=erasure_id, leased_until=ends)


def condemn_erased(*, erasure_id: str, now: datetime) -> int:
    """Condemn what an erasure takes; return how many wait for an append to be over.

    What somebody else names stays, and is the erasure's no more.
    """
    of_erasure = Blob.objects.of_erasure(erasure_id)
    for blob in of_erasure.stored().order_by("digest"):
        if not condemned(blob.project_id, blob.digest, now) and is_used(blob):
            of_erasure.of_project(blob.project_id).named([blob.digest]).update(
                erasure_id=None
            )
    return of_erasure.stored().count()


def take_erased(*, erasure_id: str) -> int:
    """Delete what is condemned for an erasure; return how many blobs.

    The rows go in the caller's transaction, which counts them: killed before it ends,
    all of it is done again.

    Raises: ObjectsUnavailable.
    """
    found = list(Blob.objects.of_erasure(erasure_id).condemned().order_by("digest"))
    return sum(take(one) for one in found)
