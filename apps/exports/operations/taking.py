"""Take away the pieces of an export that is over: each object first, then its row."""

from __future__ import annotations

from collections.abc import Iterator

from apps.blobs.places import asking
from apps.exports.models import Export, Piece
from apps.exports.names import folder_of


def take_pieces(*, export_id: str) -> int:
    """Delete what there is of a file; return how many pieces it had.

    Objects of killed steps go with it, since all of its folder does. Nobody writes
    another: a step holds the export's row, and makes none that is over.

    Raises: ObjectsUnavailable.
    """
    with asking() as store:
        for name in list(store.list(folder_of(export_id))):
            store.delete(name)
    gone, _ = Piece.objects.filter(export_id=export_id).delete()
    return gone


def remaining_in(*, project_id: str) -> Iterator[str]:
    """Yield the exports of a project that are over, and still have pieces.

    Also of those that had failed or expired, while the store was away.
    """
    found = Export.objects.of_project(project_id).with_remains()
    yield from list(found.values_list("id", flat=True))
