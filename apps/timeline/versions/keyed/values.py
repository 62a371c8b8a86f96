"""What bodies of keyed documents keep under their keys."""

from __future__ import annotations

from collections.abc import Sequence

from apps.core import sql
from apps.timeline import bodies
from apps.timeline.versions import gone
from apps.timeline.versions.decoding.bodies import decoded
from apps.timeline.versions.keyed.entries import EntryRow, PastEntry

# The one part of a body of a keyed document.
ENTRY = "entry"
_FIRST_GONE = sql.of_session("""
SELECT n.number, v.number IS NULL AS is_pruned
  FROM unnest(%(numbers)s::bigint[]) n (number)
  LEFT JOIN timeline_version v ON v.session_id = %(session)s AND v.number = n.number
 WHERE v.number IS NULL OR v.salt = ''
 ORDER BY n.number LIMIT 1
""")


def contents(
    document_id: str, rows: Sequence[EntryRow | PastEntry]
) -> dict[int, bytes]:
    """Return what is kept of entries, as JSON, by the number of the body.

    Raises: ContentsErased, VersionPruned where a removal took one of them;
    bodies.CorruptBody, Busy.
    """
    for row in rows:
        if row.is_emptied:
            raise gone.value_erased(document_id, row.body_number or 0)
    wanted = {
        (document_id, row.body_number): row.commitment
        for row in rows
        if row.body_number is not None and row.commitment is not None
    }
    try:
        raws = decoded(wanted, size=sum(row.size for row in rows))
    except bodies.CorruptBody:
        # A removal may have come since the rows were read.
        require_values(document_id, [number for _, number in wanted])
        raise
    return {number: entry_in(raw) for (_, number), raw in raws.items()}


def require_values(document_id: str, numbers: Sequence[int]) -> None:
    """Refuse to build on values of which a removal took one.

    Raises: ContentsErased, VersionPruned.
    """
    asked = {"session": document_id, "numbers": list(numbers)}
    for row in sql.rows(_FIRST_GONE, asked):
        if row.is_pruned:
            gone.require_value_there(document_id, row.number)
        else:
            raise gone.value_erased(document_id, row.number)


def entry_in(raw: bytes) -> bytes:
    """Return what is kept of an entry, by a body.

    Raises: bodies.CorruptBody.
    """
    for part in bodies.unframe(raw):
        if part.name == ENTRY:
            return part.data
    raise bodies.CorruptBody("There is no entry in this body.")
