"""Delete archives that no row names: of a session that is erased, of who was killed."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta

from apps.blobs.places import asking
from apps.core import sql
from apps.core.ids import first_id
from apps.timeline.bodies.archives import ARCHIVED, FOLDER, located, named

# Whoever writes an archive has committed its rows long before.
ORPHANED = timedelta(hours=24)
AT_ONCE = 500

_TOPS = sql.across(f"""
SELECT b.session_id, b.data
  FROM unnest(%(sessions)s::varchar[], %(tops)s::bigint[]) w (session_id, number)
  JOIN timeline_body b ON b.session_id = w.session_id AND b.number = w.number
 WHERE b.codec > {ARCHIVED}
""")  # noqa: S608


def delete_archives(session_id: str) -> int:
    """Delete all archives of a session that is gone; return how many.

    Raises: ObjectsUnavailable.
    """
    gone = 0
    with asking() as store:
        for name in list(store.list(f"{FOLDER}/{session_id}")):
            store.delete(name)
            gone += 1
    return gone


def sweep_archives(*, now: datetime) -> int:
    """Delete archives that no row names for a day; return how many.

    Raises: ObjectsUnavailable.
    """
    gone = 0
    page: list[str] = []
    with asking() as store:
        for name in store.list(FOLDER):
            page.append(name)
            if len(page) == AT_ONCE:
                gone += _delete_orphans(page, now)
                page = []
        return gone + _delete_orphans(page, now)


def _delete_orphans(names: list[str], now: datetime) -> int:
    young = first_id("arch", now - ORPHANED)
    old = {name: of for name in names if (of := named(name)) and of[1] < young}
    asked = {
        "sessions": [session for session, _, _ in old.values()],
        "tops": [top for _, _, top in old.values()],
    }
    there: defaultdict[str, set[str]] = defaultdict(set)
    for row in sql.rows(_TOPS, asked) if old else ():
        there[row.session_id].add(located(bytes(row.data)).archive_id)
    orphans = [
        name
        for name, (session_id, archive_id, _) in old.items()
        if archive_id not in there[session_id]
    ]
    with asking() as store:
        for name in orphans:
            store.delete(name)
    return len(orphans)
