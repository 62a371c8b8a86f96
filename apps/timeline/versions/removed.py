"""What became of a version that a removal took, emptied, or stored elsewhere."""

from __future__ import annotations

from apps.core import sql
from apps.timeline.errors import ContentsErased, SessionNotFound, VersionPruned
from apps.timeline.versions.deltas import Body

_TOMBSTONE = sql.of_session("""
SELECT d.first_number, d.last_number, d.count, d.created_at
  FROM timeline_tombstone d
 WHERE d.session_id = %(session)s AND d.kind <> 'emptied'
   AND d.first_number <= %(number)s AND d.last_number >= %(number)s LIMIT 1
""")
_PLACE = sql.of_session("""
SELECT v.body_number, b.salt
  FROM timeline_session s
  LEFT JOIN timeline_version v
    ON v.session_id = %(session)s AND v.number = %(number)s
  LEFT JOIN timeline_body b
    ON b.session_id = %(session)s AND b.number = v.body_number
 WHERE s.id = %(session)s
""")


def require_not_pruned(session_id: str, number: int | None, head: int) -> None:
    """Raises: VersionPruned, where a tombstone stands for the version."""
    wanted = head + number if number is not None and number < 0 else number
    if wanted is None or not 0 <= wanted <= head:
        return
    found = sql.rows(_TOMBSTONE, {"session": session_id, "number": wanted})
    if not found:
        return
    first, last = found[0].first_number, found[0].last_number
    raise VersionPruned(
        f"v{wanted} was removed: v{first} to v{last}, {found[0].count} versions.",
        param="version",
        first_version=first,
        last_version=last,
        removed_at=found[0].created_at.isoformat(),
        head=head,
    )


def require_contents(session_id: str, number: int, salt: bytes) -> None:
    """Refuse what was emptied, also where a process has it decoded still.

    An emptied body has no `salt` any more.

    Raises: ContentsErased, naming the version.
    """
    if not salt:
        raise ContentsErased(
            f"What v{number} held was erased.",
            param="version",
            session_id=session_id,
            version=number,
        )


def place_now(session_id: str, number: int) -> Body | None:
    """Return where the body that a version shows is by now, None where it is nowhere.

    For who has read the version, and then not found its body: a removal may have come
    in between.

    Raises: SessionNotFound, VersionPruned, ContentsErased.
    """
    found = sql.rows(_PLACE, {"session": session_id, "number": number})
    if not found:
        raise SessionNotFound
    row = found[0]
    if row.body_number is None:
        require_not_pruned(session_id, number, number)
        return None
    if row.salt is not None:
        require_contents(session_id, number, row.salt)
    return session_id, row.body_number
