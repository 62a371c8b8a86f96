"""Move old bodies of a session into an object outside the database, and back.

1. What may be archived is read, and written as one object. 2. The object is read back
and compared. 3. Under the session's lock it is looked at again, and the rows change in
one transaction: the bytes give way to locators. Whoever is killed before the commit
leaves an object that no row names, and `sweep_archives` deletes it after a day; a row
without its object there is never. An object goes after the commit by which the last row
has stopped naming it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import structlog
from django.db import transaction
from django.utils import timezone

from apps.blobs.errors import ObjectsFull, ObjectsUnavailable
from apps.blobs.places import asking
from apps.core import sql
from apps.core.ids import new_id
from apps.core.objects import ObjectsAway
from apps.timeline import bodies, hooks
from apps.timeline.bodies.archives import Locator, located, packed
from apps.timeline.hooks.keeping import allowed
from apps.timeline.models import Session
from apps.timeline.operations.keeping import rows
from apps.timeline.operations.keeping.locking import locked
from apps.timeline.operations.keeping.pins import first_pending
from apps.timeline.operations.keeping.values import Gone, Went
from apps.timeline.versions.deltas import keys
from apps.timeline.words import ARCHIVED

# What one object holds, unless its first group alone is larger.
MOST_BYTES = 8 * 1024 * 1024
# A larger group stays where it is: it would be in memory as a whole.
LARGEST_GROUP = 64 * 1024 * 1024
# Reads, as it is now, which groups of bodies may be archived.
Groups = Callable[[], list[Any]]

log = structlog.get_logger("stepback.archives")

_IN_TABLE = f"b.codec BETWEEN 1 AND {ARCHIVED} - 1"
_GROUPS = sql.of_session(
    sql.query(
        "timeline",
        "archive_groups",
        archived=ARCHIVED,
        needed=keys(
            session="%(session)s",
            wanted=f"b.number BETWEEN %(first)s AND %(last)s AND {_IN_TABLE}",
        ),
    )
)
_DATA = sql.of_session("""
SELECT b.number, b.codec, b.data FROM timeline_body b
 WHERE b.session_id = %(session)s AND b.number = ANY (%(numbers)s::bigint[])
 ORDER BY b.number
""")
# What changed since it was read has another digest, and stays.
_ARCHIVE = sql.of_session(f"""
UPDATE timeline_body b SET codec = b.codec + {ARCHIVED}, data = u.data
  FROM unnest(%(numbers)s::bigint[], %(data)s::bytea[], %(digests)s::bytea[])
    AS u (number, data, digest)
 WHERE b.session_id = %(session)s AND b.number = u.number
   AND b.codec BETWEEN 1 AND {ARCHIVED} - 1 AND sha256(b.data) = u.digest
RETURNING 1
""")  # noqa: S608
# Rows of the objects in which bodies are that go, beside these; both by what their
# locators begin with, which names the object.
_BESIDE = sql.of_session(f"""
SELECT b.number, b.codec, b.data FROM timeline_body b
 WHERE b.session_id = %(session)s AND b.codec > {ARCHIVED}
   AND b.number <> ALL (%(numbers)s::bigint[])
   AND substr(b.data, 1, 40) IN (
       SELECT substr(g.data, 1, 40) FROM timeline_body g
        WHERE g.session_id = %(session)s AND g.codec > {ARCHIVED}
          AND g.number = ANY (%(numbers)s::bigint[]))
 ORDER BY b.number
""")  # noqa: S608
_BRING_BACK = sql.of_session("""
UPDATE timeline_body b SET codec = u.codec, data = u.data
  FROM unnest(%(numbers)s::bigint[], %(codecs)s::smallint[], %(data)s::bytea[])
    AS u (number, codec, data)
 WHERE b.session_id = %(session)s AND b.number = u.number RETURNING 1
""")


def archive_versions(
    *, session_id: str, first: int, last: int, is_trial: bool = False
) -> Gone:
    """Archive the bodies of versions from `first` to `last` that nothing recent needs.

    Run by the retention role, of one object at most: `has_more` says whether there is
    more. The groups of the head and of what waits to be projected stay. A trial counts
    what would be archived, and writes nothing.
    """
    groups = partial(_groups, session_id, first, last)
    return archived(session_id, groups, is_trial=is_trial)


@transaction.atomic
def archived(
    session_id: str, groups: Groups, *, is_trial: bool, is_document: bool = False
) -> Gone:
    """Archive the first of these groups, as many as one object takes."""
    if is_trial:
        return _tried(session_id, groups, is_document=is_document)
    if rows.head(session_id) is None:
        return Gone(outcome=Went.UNKNOWN)
    found = _small_enough(groups)
    chosen = _first_of(found)
    if not chosen:
        return Gone(outcome=Went.DONE)
    try:
        made = _written(session_id, chosen)
    except (ObjectsUnavailable, ObjectsFull) as away:
        log.warning("the store takes no archive", why=str(away.__cause__))
        return Gone(outcome=Went.AWAY)
    session, outcome = locked(session_id, with_documents=is_document), Went.UNKNOWN
    if session is not None:
        outcome = _replace(session, groups, chosen, made)
    if outcome is not Went.DONE:
        _delete(session_id, [next(iter(made.values()))])
        return Gone(outcome=outcome)
    return _counted(chosen, has_more=len(chosen) < len(found))


def _tried(session_id: str, groups: Groups, *, is_document: bool) -> Gone:
    """Count what would be archived."""
    if locked(session_id, with_documents=is_document) is None:
        return Gone(outcome=Went.UNKNOWN)
    chosen = _small_enough(groups)
    if chosen and hooks.legal_hold(session_id):
        return Gone(outcome=Went.HELD)
    return _counted(chosen, has_more=False)


def beside(session_id: str, numbers: Sequence[int]) -> list[Any]:
    """Return what has to come back from archives, because these bodies go from them."""
    asked = {"session": session_id, "numbers": list(numbers)}
    return sql.rows(_BESIDE, asked)


def objects_of(session_id: str, numbers: Sequence[int]) -> list[Locator]:
    """Return the archives in which these bodies are."""
    found = sql.rows(_DATA, {"session": session_id, "numbers": list(numbers)})
    named = (located(bytes(one.data)) for one in found if one.codec > ARCHIVED)
    return list({one.archive_id: one for one in named}.values())


def bring_back(session_id: str, found: Sequence[Any]) -> None:
    """Write bodies back into the table, as they were before they were archived.

    Within the caller's transaction, which holds the session's lock.

    Raises: bodies.CorruptBody, ObjectsUnavailable.
    """
    if not found:
        return
    spans = bodies.Spans()
    back = [spans.brought(one.codec, bytes(one.data), session_id) for one in found]
    asked = {
        "session": session_id,
        "numbers": [one.number for one in found],
        "codecs": [codec for codec, _ in back],
        "data": [data for _, data in back],
    }
    with allowed():
        sql.rows(_BRING_BACK, asked)


def delete_unnamed(session_id: str, archives: Iterable[Locator]) -> None:
    """Delete archives after the transaction, unless a row names one still."""
    found = list(archives)
    if found:
        transaction.on_commit(partial(_delete_unnamed, session_id, found))


def _delete_unnamed(session_id: str, archives: Sequence[Locator]) -> None:
    tops = [one.top for one in archives]
    named = {one.archive_id for one in objects_of(session_id, tops)}
    _delete(session_id, [one for one in archives if one.archive_id not in named])


def _delete(session_id: str, archives: Iterable[Locator]) -> None:
    """Delete them; where the store is away, `sweep_archives` does it."""
    try:
        with asking() as store:
            for one in archives:
                store.delete(one.object_name(session_id))
    except ObjectsUnavailable as away:
        log.warning("an archive is left", why=str(away.__cause__))


def _groups(session_id: str, first: int, last: int) -> list[Any]:
    head = rows.head(session_id)
    if head is None:
        return []
    waiting = first_pending(session_id)
    upto = min(last, head.number - 1, *([] if waiting is None else [waiting - 1]))
    return sql.rows(_GROUPS, {"session": session_id, "first": first, "last": upto})


def _small_enough(groups: Groups) -> list[Any]:
    return [one for one in groups() if one.size <= LARGEST_GROUP]


def _first_of(groups: Sequence[Any]) -> list[Any]:
    """Return as many groups as one object takes, at least one."""
    chosen: list[Any] = []
    size = 0
    for one in groups:
        if chosen and size + one.size > MOST_BYTES:
            break
        chosen.append(one)
        size += one.size
    return chosen


def _counted(chosen: Sequence[Any], *, has_more: bool) -> Gone:
    many = sum(len(one.numbers) for one in chosen)
    return Gone(
        outcome=Went.DONE,
        versions=many,
        bodies=many,
        bytes=int(sum(one.size for one in chosen)),
        has_more=has_more,
    )


def _written(session_id: str, chosen: Sequence[Any]) -> dict[int, Locator]:
    """Write the object and read it back; return where each body is in it.

    Raises: ObjectsUnavailable, ObjectsFull.
    """
    numbers = [number for one in chosen for number in one.numbers]
    found = sql.rows(_DATA, {"session": session_id, "numbers": numbers})
    data = {one.number: bytes(one.data) for one in found}
    groups = [
        [(number, data[number]) for number in one.numbers if number in data]
        for one in chosen
    ]
    archive_id = new_id("arch", now=timezone.now())
    whole, places = packed(archive_id, groups)
    name = next(iter(places.values())).object_name(session_id)
    with asking() as store:
        store.keep(name, whole)
        if store.get(name) != whole:
            raise ObjectsAway("What was read back is not what was written.")
    return places


def _replace(
    session: Session,
    groups: Groups,
    chosen: Sequence[Any],
    made: dict[int, Locator],
) -> Went:
    """Put locators in place of the bytes, if all is as it was; change nothing else.

    The caller holds the session's row.
    """
    if hooks.legal_hold(session.id):
        return Went.HELD
    again = {one.root: one.numbers for one in _small_enough(groups)}
    if any(again.get(one.root) != one.numbers for one in chosen):
        return Went.PINNED
    asked = {
        "session": session.id,
        "numbers": list(made),
        "data": [one.data for one in made.values()],
        "digests": [one.digest for one in made.values()],
    }
    with transaction.atomic(), allowed():
        is_all = len(sql.rows(_ARCHIVE, asked)) == len(made)
        # What was read is not what stands there: nothing of it changes.
        transaction.set_rollback(not is_all)
    return Went.DONE if is_all else Went.PINNED
