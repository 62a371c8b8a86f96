"""Name blobs in a version: the lease before the append, the uses within it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from django.db import connection

from apps.agents.acts import Act
from apps.blobs.errors import BlobMissing
from apps.blobs.leases import renewed
from apps.blobs.models import Blob, Use

# So many are listed as missing; who uploads these is told of the next.
MOST_LISTED = 1_000
# By number of the version, what it names.
Named = Mapping[int, Collection[str]]


def renew(*, act: Act, digests: Collection[str]) -> dict[str, int]:
    """Have these blobs stay for a day, whatever is collected; return their sizes.

    Raises: BlobMissing with the list.
    """
    sizes = renewed(act, digests)
    if len(sizes) < len(set(digests)):
        raise _missing([one for one in digests if one not in sizes])
    return sizes


def require_granted(
    *, act: Act, digests: Collection[str], carried: Collection[str]
) -> None:
    """Let a key for some agents name what these have uploaded, and what is carried on.

    `carried` is what the version that it builds on names. What is another agent's is
    missing to it, as what is not there.

    Raises: BlobMissing with the list.
    """
    asked = set(digests) - set(carried)
    if act.scope.agents is None or not asked:
        return
    known = Blob.objects.of_project(act.project_id).named(asked).stored()
    granted = known.nameable_by(act.scope.agents).values_list("digest", flat=True)
    if unknown := sorted(asked - set(granted)):
        raise _missing(unknown)


def name(*, act: Act, session_id: str, named: Named) -> None:
    """Write which version names which blobs, in the transaction that makes it."""
    write_uses(act.project_id, session_id, named)


def write_uses(project_id: str, session_id: str, named: Named) -> None:
    """Write uses within the caller's transaction; those that are there stay.

    Raises: RuntimeError outside of one.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("Uses are written in the transaction of their version.")
    rows = [
        Use(session_id=session_id, digest=digest, number=number, project_id=project_id)
        for number, digests in named.items()
        for digest in sorted(digests)
    ]
    Use.objects.bulk_create(rows, ignore_conflicts=True, batch_size=2_000)


def _missing(digests: Sequence[str]) -> BlobMissing:
    return BlobMissing(
        f"{len(digests):,} of the blobs that it names are not there: upload them.",
        param="artifacts",
        digests=sorted(digests)[:MOST_LISTED],
    )
