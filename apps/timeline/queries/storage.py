"""How many bytes states take, by project, agent, session, and what sharing saves.

Counts what is stored (compressed deltas, each body once, in tables or in archives)
against what the versions show (their whole states, as if each had been kept). Deleted
and expired sessions count: their bytes are there. Refuses to guess: every figure is a
sum of this moment.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection, transaction

from apps.blobs.operations.collecting import is_blob
from apps.blobs.places import asking
from apps.core import sql
from apps.timeline.bodies.archives import length_of_locator, named
from apps.timeline.words import ARCHIVED

# One statement, so that all levels are sums over one snapshot. octet_length reads
# the length of a large value from its row and does not fetch the value.
_USAGE = sql.query(
    "timeline", "storage", archived=ARCHIVED, length=length_of_locator("b.data")
)
_TABLES = """
SELECT c.relname::text AS name, pg_total_relation_size(c.oid) AS size
FROM pg_class c
WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
ORDER BY size DESC, name
"""
_END = sql.of_session("""
SELECT v.number, v.chain FROM timeline_version v
 WHERE v.session_id = %(session)s ORDER BY v.number DESC LIMIT 1
""")
_SIZES = sql.of_session("""
SELECT (SELECT count(*) FROM timeline_version v WHERE v.session_id = %(session)s)
           AS versions,
       (SELECT count(*) FROM timeline_turn t WHERE t.session_id = %(session)s)
           AS turns,
       (SELECT coalesce(sum(octet_length(b.data)), 0) FROM timeline_body b
         WHERE b.session_id = %(session)s)
       + (SELECT coalesce(sum(octet_length(t.data)), 0) FROM timeline_turn t
           WHERE t.session_id = %(session)s) AS bytes
""")
# GROUPING sets a bit for each column that a row sums over.
ALL, PROJECT, AGENT, SESSION = 7, 3, 1, 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """The bytes of some sessions; names are None where the row sums over them."""

    level: int
    project: str | None
    agent: str | None
    session_id: str | None
    sessions: int
    versions: int
    bodies: int
    # In tables, with the locators of what is archived; and in archives.
    stored: int
    archived_bodies: int
    archived: int
    shown: int

    @property
    def share_saved(self) -> float:
        """Return the part of the shown bytes that is not stored; 0 if none is shown.

        Below 0 where compression costs more than it saves, as for tiny states.
        """
        stored = self.stored + self.archived
        return 1 - stored / self.shown if self.shown else 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """A table's size on disk, with its indexes and what it keeps out of line."""

    name: str
    size: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Storage:
    """What was counted: largest first everywhere."""

    total: Usage
    projects: list[Usage]
    agents: list[Usage]
    sessions: list[Usage]


def usage(*, project_id: str | None, largest: int) -> Storage:
    """Count the bytes of one project or of all, and name the `largest` sessions.

    Reads every row of versions and bodies, so it takes seconds per million.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            # The limit is for requests; this is for whoever has to wait.
            cursor.execute("SET LOCAL statement_timeout = 0")
        found = sql.records(
            Usage, _USAGE, {"project_id": project_id, "largest": largest}
        )
    by_level = {
        level: [row for row in found if row.level == level]
        for level in (ALL, PROJECT, AGENT, SESSION)
    }
    return Storage(
        total=by_level[ALL][0],
        projects=by_level[PROJECT],
        agents=by_level[AGENT],
        sessions=by_level[SESSION],
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Objects:
    """How many objects of one kind there are in the store, and their bytes."""

    what: str
    objects: int
    size: int


def objects() -> list[Objects]:
    """Count what is in the store of objects, by what it is, one listing of all of it.

    Whatever nothing names any more counts until it is collected.

    Raises: ObjectsUnavailable.
    """
    found: dict[str, list[int]] = {"archives": [], "files": [], "others": []}
    with asking() as store:
        for name, size in store.sizes():
            if named(name):
                found["archives"].append(size)
            elif is_blob(name):
                found["files"].append(size)
            else:
                found["others"].append(size)
    return [
        Objects(what=what, objects=len(sizes), size=sum(sizes))
        for what, sizes in found.items()
    ]


def tables() -> list[Table]:
    """Return all tables of the database, largest first."""
    return sql.records(Table, _TABLES, {})


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """How much a history is."""

    versions: int = 0
    turns: int = 0
    bytes: int = 0


def sizes_of(session_id: str) -> Sizes:
    """Return how much a history is now."""
    (row,) = sql.rows(_SIZES, {"session": session_id})
    return Sizes(versions=row.versions, turns=row.turns, bytes=int(row.bytes))


def end_of(session_id: str) -> tuple[int, bytes] | None:
    """Return the number and the chain value of the last version; None without any."""
    found = sql.rows(_END, {"session": session_id})
    return (found[0].number, bytes(found[0].chain)) if found else None
