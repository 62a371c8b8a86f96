"""Delete the files that were kept for as long as they are, and what has no row.

An end is said first, in a transaction of its own: from then on nobody is sent the file.
Whoever is killed while objects are deleted leaves rows that the next sweep goes on by.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from apps.blobs.digests import made_at
from apps.blobs.places import asking
from apps.exports.models import Export, Piece
from apps.exports.names import ROOT, PieceName, parsed
from apps.exports.operations import take_pieces
from apps.exports.words import State

# A step is over long before; what is older and has no row never gets one.
ORPHANED = timedelta(hours=24)
AT_ONCE = 200


def forget(*, now: datetime) -> None:
    """Delete the files that are over, and what killed steps left.

    Raises: ObjectsUnavailable: what is over stays so, for the next sweep.
    """
    Export.objects.over(now).update(state=State.EXPIRED)
    remains = Export.objects.with_remains()
    for export_id in list(remains.values_list("id", flat=True)):
        take_pieces(export_id=export_id)
    sweep_objects(now=now)


def sweep_objects(*, now: datetime) -> int:
    """Delete objects that are no piece's, once none can become one; return how many.

    Raises: ObjectsUnavailable.
    """
    gone = 0
    page: list[str] = []
    with asking() as store:
        for name in store.list(ROOT):
            page.append(name)
            if len(page) == AT_ONCE:
                gone += _delete_orphans(page, now)
                page = []
        return gone + _delete_orphans(page, now)


def _delete_orphans(names: Sequence[str], now: datetime) -> int:
    found = [one for one in map(parsed, names) if one]
    ids = {one.export_id for one in found}
    making = set(
        Export.objects.making().filter(id__in=ids).values_list("id", flat=True)
    )
    pieces = Piece.objects.filter(export_id__in=ids)
    known = {
        PieceName(*one) for one in pieces.values_list("export", "number", "generation")
    }
    orphans = [
        one
        for one in found
        if one not in known and (one.export_id not in making or _is_old(one, now))
    ]
    with asking() as store:
        for one in orphans:
            store.delete(str(one))
    return len(orphans)


def _is_old(one: PieceName, now: datetime) -> bool:
    return now - made_at(one.generation) > ORPHANED
