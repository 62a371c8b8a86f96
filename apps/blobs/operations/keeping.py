"""Keep bytes under their SHA-256; ask which are not there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from apps.agents.acts import Act
from apps.blobs.digests import digest_of, new_generation
from apps.blobs.errors import DigestMismatch, ObjectsUnavailable
from apps.blobs.leases import renewed
from apps.blobs.models import Blob, Grant, object_name
from apps.blobs.places import asking
from apps.blobs.words import LEASE, MAX_BLOB_BYTES
from apps.core import sql
from apps.core.errors import PayloadTooLarge

# What was condemned meanwhile becomes the upload that has just arrived. What is stored
# stays: then this upload is one too many.
_STORE = """
INSERT INTO blobs_blob AS b (
    project_id, digest, generation, size, state, leased_until, created_at)
VALUES (%(project)s, %(digest)s, %(generation)s, %(size)s, 'stored', %(until)s, %(now)s)
ON CONFLICT (project_id, digest) DO UPDATE
   SET generation = excluded.generation, size = excluded.size, state = 'stored',
       leased_until = excluded.leased_until, erasure_id = NULL,
       created_at = excluded.created_at
 WHERE b.state = 'condemned'
RETURNING b.generation
"""
# An upload and a collection in turn can take the row from each other so often.
TRIES = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Kept:
    """A blob that is there now, and whether it was not so before, to who sent it."""

    digest: str
    size: int
    leased_until: datetime
    is_new: bool


def missing(*, act: Act, digests: Sequence[str]) -> list[str]:
    """Return those that are to be uploaded, and keep the others for a day.

    What a key may not name is missing to it, whoever else has uploaded it.
    """
    there = Blob.objects.of_project(act.project_id).named(digests).stored()
    found = there.nameable_by(act.scope.agents)
    known = set(found.values_list("digest", flat=True))
    kept = renewed(act, known)
    return [one for one in digests if one not in kept]


def keep(*, act: Act, digest: str, data: bytes) -> Kept:
    """Keep bytes that have this digest; sending them again is keeping them on.

    Whoever has sent them may name them, whatever is there already.

    Raises: DigestMismatch, PayloadTooLarge, ObjectsUnavailable, ObjectsFull.
    """
    if len(data) > MAX_BLOB_BYTES:
        raise PayloadTooLarge(
            f"A blob has at most {MAX_BLOB_BYTES:,} bytes: send a larger file in "
            "chunks.",
            limit=MAX_BLOB_BYTES,
        )
    found = digest_of(data)
    if found != digest:
        raise DigestMismatch(param="sha256", digest=found)
    for _ in range(TRIES):
        if digest in renewed(act, [digest]):
            return _granted(act, digest, len(data), is_new=False)
        if _stored(act, digest, data):
            return _granted(act, digest, len(data), is_new=True)
    raise ObjectsUnavailable


def _stored(act: Act, digest: str, data: bytes) -> bool:
    """Write an object of its own, then the row; False where another upload was first.

    Killed in between it leaves an object that no row names, which goes after a day.
    """
    generation = new_generation(act.now)
    name = object_name(act.project_id, digest, generation)
    with asking() as store:
        store.keep(name, data)
    found = _insert(act, digest, generation, len(data))
    if not found:
        _forget(name)
    return found


def _insert(act: Act, digest: str, generation: int, size: int) -> bool:
    """Write the row; False where another upload was first."""
    asked = {
        "project": act.project_id,
        "digest": digest,
        "generation": generation,
        "size": size,
        "until": act.now + LEASE,
        "now": act.now,
    }
    return bool(sql.rows(_STORE, asked))


def _forget(name: str) -> None:
    """Delete an object that no row has ever named; if not, the sweep does."""
    try:
        with asking() as store:
            store.delete(name)
    except ObjectsUnavailable:
        return


@transaction.atomic
def _granted(act: Act, digest: str, size: int, *, is_new: bool) -> Kept:
    agents = act.scope.agents or ()
    known = Grant.objects.filter(project_id=act.project_id, digest=digest)
    # That somebody else has them is not said to who sends them for the first time.
    is_new = is_new or (bool(agents) and not known.filter(agent__in=agents).exists())
    Grant.objects.bulk_create(
        [
            Grant(project_id=act.project_id, digest=digest, agent=one)
            for one in sorted(agents)
        ],
        ignore_conflicts=True,
    )
    return Kept(digest=digest, size=size, leased_until=act.now + LEASE, is_new=is_new)
