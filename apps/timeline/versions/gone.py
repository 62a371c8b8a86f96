"""What stands for versions that a removal took or emptied, for whoever reads them.

A session without a removal (`erasures` is 0) is never asked about.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from apps.core import sql
from apps.core.time.moments import utc_text
from apps.timeline.errors import ContentsErased, SessionNotFound, VersionPruned
from apps.timeline.removed import Tombstone
from apps.timeline.versions.deltas import Body

if TYPE_CHECKING:
    from apps.timeline.versions.reading import VersionRow

_PLACE = sql.PreparedQuery(
    sql.of_session("""
SELECT v.body_number, b.salt
  FROM timeline_session s
  LEFT JOIN timeline_version v
    ON v.session_id = %(session)s AND v.number = %(number)s
  LEFT JOIN timeline_body b
    ON b.session_id = %(session)s AND b.number = v.body_number
 WHERE s.id = %(session)s
""")
)


def pruned(session_id: str, number: int) -> Tombstone | None:
    """Return the tombstone of a version that is not there any more."""
    return Tombstone.objects.of_session(session_id).gone().over(number).first()


def emptied(session_id: str, number: int) -> Tombstone | None:
    """Return the tombstone of a version whose header stands alone."""
    return Tombstone.objects.of_session(session_id).emptied().over(number).first()


def require_not_pruned(session_id: str, number: int, head: int) -> None:
    """Raises: VersionPruned, where a tombstone stands for the version."""
    stone = pruned(session_id, number) if 0 <= number <= head else None
    if stone is None:
        return
    raise VersionPruned(
        f"v{number} was removed: {said(stone)}.",
        param="version",
        session_id=session_id,
        version=number,
        head=head,
        tombstone=tombstone_object(stone),
    )


def require_value_there(document_id: str, number: int) -> None:
    """As `require_not_pruned`, of what a version of a keyed document set.

    Raises: VersionPruned.
    """
    stone = pruned(document_id, number)
    if stone is not None:
        raise VersionPruned(
            f"v{number} was removed: {said(stone)}.",
            param="version",
            version=number,
            tombstone=tombstone_object(stone),
        )


def contents_erased(session_id: str, number: int) -> ContentsErased:
    """Return what a read of an emptied version answers."""
    return _erased(session_id, number, session_id=session_id)


def value_erased(document_id: str, number: int) -> ContentsErased:
    """Return what a read of an emptied value answers; no session has such an id."""
    return _erased(document_id, number)


def _erased(id: str, number: int, **about: str) -> ContentsErased:
    stone = emptied(id, number)
    known = "" if stone is None else f": {said(stone)}"
    return ContentsErased(
        f"What v{number} held was erased{known}.",
        param="version",
        version=number,
        tombstone=None if stone is None else tombstone_object(stone),
        **about,
    )


def tombstone_object(stone: Tombstone) -> dict[str, Any]:
    """Return a tombstone as it is answered: from where to where, when and why."""
    return {
        "kind": str(stone.kind),
        "first_version": stone.first_number,
        "last_version": stone.last_number,
        "count": stone.count,
        "turns": stone.turns,
        "first_turn": stone.first_turn if stone.turns else None,
        "last_turn": stone.last_turn if stone.turns else None,
        "removal_id": stone.removal_id,
        "reason": stone.reason,
        "removed_at": utc_text(stone.created_at),
    }


def said(stone: Tombstone) -> str:
    """Say which versions went, when, and by which removal."""
    first, last = stone.first_number, stone.last_number
    many = f"v{first}" if first == last else f"v{first} to v{last}"
    return (
        f"{many} went on {stone.created_at:%Y-%m-%d %H:%M} UTC"
        f" ({stone.reason}, removal {stone.removal_id})"
    )


def removed_between(
    row: VersionRow, low: int, high: int, *, with_emptied: bool = False
) -> list[Tombstone]:
    """Return the tombstones of versions that are not there, from `low` to `high`.

    `row` is any version of the session, read just now: without a removal in the session
    nothing is asked of the database.
    """
    if not row.erasures or high < low:
        return []
    found = Tombstone.objects.of_session(row.session_id)
    found = found if with_emptied else found.gone()
    return list(found.filter(last_number__gte=low, first_number__lte=high))


def place_now(session_id: str, number: int) -> Body | None:
    """Return where the body that a version shows is by now, None where it is nowhere.

    For who has read the version, and then not found its body: a removal may have come
    in between.

    Raises: SessionNotFound, VersionPruned, ContentsErased.
    """
    found = sql.run_prepared(_PLACE, {"session": session_id, "number": number})
    if not found:
        raise SessionNotFound
    row = found[0]
    if row.body_number is None:
        require_not_pruned(session_id, number, number)
        return None
    if row.salt is not None and not bytes(row.salt):
        raise contents_erased(session_id, number)
    return session_id, row.body_number


def require_still_there(version: VersionRow) -> None:
    """Refuse what a removal took after it was read; its session is locked by now.

    Raises: SessionNotFound, VersionPruned, ContentsErased.
    """
    place_now(version.session_id, version.number)


@contextmanager
def refused_as_conflict() -> Iterator[None]:
    """Say of an act that would build on what is gone that it cannot: 409, not 410."""
    try:
        yield
    except (VersionPruned, ContentsErased) as error:
        error.is_conflict = True
        raise
