"""Delete archives that no row names: of a session that is erased, of who was killed."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta

from apps.blobs.places import asking
from apps.core.ids import first_id
from apps.timeline.bodies.archives import FOLDER, named
from apps.timeline.operations.keeping.archiving import objects_of

# Whoever writes an archive has committed its rows long before.
ORPHANED = timedelta(hours=24)
AT_ONCE = 500


def delete_archives(*, session_id: str) -> int:
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
    tops: defaultdict[str, list[int]] = defaultdict(list)
    for session_id, _, top in old.values():
        tops[session_id].append(top)
    # Ids of archives are their own: it does not matter in which session one is named.
    there = {
        one.archive_id
        for session_id, numbers in tops.items()
        for one in objects_of(session_id, numbers)
    }
    orphans = [name for name, of in old.items() if of[1] not in there]
    with asking() as store:
        for name in orphans:
            store.delete(name)
    return len(orphans)
