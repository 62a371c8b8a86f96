"""Collect blobs that no version names any more.

1. Condemn where the lease is over and nothing names it: from then on nobody can name
it, and an upload makes another generation. 2. Look for uses once more. 3. Delete the
object. 4. Delete the row, if it is still this generation. Each step can be the last:
the next sweep goes on with what is condemned. Who renewed a lease before the first step
keeps the blob; whoever comes after it is told that it is missing, and uploads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from django.db import transaction

from apps.blobs.digests import made_at
from apps.blobs.models import Blob, Grant, Use
from apps.blobs.places import asking
from apps.blobs.querysets import BlobQuerySet
from apps.blobs.words import State
from apps.core.actors import Actor

AT_ONCE = 200
# An upload is over long before; what is older and has no row never gets one.
ORPHANED = timedelta(hours=24)


def never() -> bool:
    return False


def collect(
    *, actor: Actor, now: datetime, is_stopping: Callable[[], bool] = never
) -> int:
    """Take away what nothing names and no lease keeps; return how many blobs.

    Raises: ObjectsUnavailable: what is condemned stays so, for the next sweep.
    """
    gone = 0
    while not is_stopping():
        condemn(now)
        found = list(Blob.objects.condemned().of_nobody().order_by("digest")[:AT_ONCE])
        taken = sum(take(one) for one in found)
        gone += taken
        if len(found) < AT_ONCE or not taken:
            return gone
    return gone


def condemn(now: datetime) -> int:
    """Condemn some of what may go; return how many."""
    may_go = Blob.objects.stored().of_nobody().lapsed(now).unused()
    keys = [one.pk for one in may_go.order_by("leased_until")[:AT_ONCE]]
    return sum(condemned(project, digest, now) for project, digest in keys)


def condemned(project_id: str, digest: str, now: datetime) -> int:
    """Condemn one blob unless its lease was renewed, or something names it."""
    # One statement: a renewal that waits for the row finds it condemned, one that came
    # first is seen, because the condition is looked at again.
    return (
        Blob.objects.of_project(project_id)
        .named([digest])
        .stored()
        .lapsed(now)
        .unused()
        .update(state=State.CONDEMNED)
    )


def take(blob: Blob) -> int:
    """Delete a condemned blob, its object first; 0 where it is not to go after all.

    Raises: ObjectsUnavailable.
    """
    if is_used(blob):
        _of(blob).update(state=State.STORED)
        return 0
    with asking() as store:
        store.delete(blob.object_name)
    return delete_row(blob)


@transaction.atomic
def delete_row(blob: Blob) -> int:
    """Delete the row of a generation that is gone, and who might name it."""
    gone, _ = _of(blob).delete()
    if gone:
        Grant.objects.filter(project_id=blob.project_id, digest=blob.digest).delete()
    return gone


def sweep_objects(*, actor: Actor, now: datetime) -> int:
    """Delete objects that no row names for a day: of uploads that were killed.

    Raises: ObjectsUnavailable.
    """
    gone = 0
    page: list[str] = []
    with asking() as store:
        for name in store.list():
            page.append(name)
            if len(page) == AT_ONCE:
                gone += _delete_orphans(page, now)
                page = []
        return gone + _delete_orphans(page, now)


def _delete_orphans(names: Sequence[str], now: datetime) -> int:
    old = [one for one in map(_read, names) if one and _is_old(one[2], now)]
    digests = {digest for _, digest, _ in old}
    known = {
        (one.project_id, one.digest, one.generation)
        for one in Blob.objects.named(digests)
    }
    orphans = [one for one in old if one not in known]
    with asking() as store:
        for project_id, digest, generation in orphans:
            store.delete(
                Blob(
                    project_id=project_id, digest=digest, generation=generation
                ).object_name
            )
    return len(orphans)


def _read(name: str) -> tuple[str, str, int] | None:
    """Return what a name of ours says; None for what is not ours."""
    project_id, _, rest = name.partition("/")
    digest, _, generation = rest.rpartition("/")[2].partition(".")
    if not generation.isdecimal():
        return None
    return project_id, digest, int(generation)


def is_blob(name: str) -> bool:
    """Say whether an object's name is that of a blob."""
    return _read(name) is not None


def _is_old(generation: int, now: datetime) -> bool:
    return now - made_at(generation) > ORPHANED


def is_used(blob: Blob) -> bool:
    """Say whether a version names it."""
    uses = Use.objects.filter(project_id=blob.project_id, digest=blob.digest)
    return uses.exists()


def _of(blob: Blob) -> BlobQuerySet:
    """Return the row while it is condemned, and of this generation."""
    condemned = Blob.objects.of_project(blob.project_id).condemned()
    return condemned.named([blob.digest]).filter(generation=blob.generation)
