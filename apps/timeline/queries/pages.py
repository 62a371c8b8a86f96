"""What the page of one session reads: a window of its history, and all at a glance.

Each question is one statement whose cost does not grow with the length of the session,
except filters, which read one session at most. The caller has looked the session up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.core import keyset, sql
from apps.timeline import bodies
from apps.timeline.versions.fetching import VERSIONS
from apps.timeline.versions.reading import VersionRow

LABELS, NOTES, FORKS, LISTED_TURNS = 500, 100, 100, 200
# A strip of so many bars is 20 kB of a page.
BUCKETS = 48
FORKS_ON_STRIP = 1_000
GENERATIONS, FAMILY_SESSIONS, FAMILY_ROLLBACKS = 8, 60, 12
# Larger turns are shown where they are opened, not in a list.
LISTED_TURN_BYTES = 65_536


@dataclass(frozen=True, kw_only=True, slots=True)
class VersionFilter:
    """Which versions of a session are asked for; an empty value leaves a clause out.

    `path` is the digest of a canonical path. A version whose changes were too many to
    be recorded one by one may have touched it, so it is among those that are found.
    """

    path: bytes | None = None
    op: str = ""
    actor: str = ""
    label: str = ""

    def __bool__(self) -> bool:
        return bool(self.path or self.op or self.actor or self.label)


@dataclass(frozen=True, kw_only=True, slots=True)
class Annotation:
    """A label, a note or a fork that belongs to a version; a note may have none."""

    kind: str
    number: int | None
    text: str
    actor: str
    created_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Bucket:
    """Some successive versions: the size at their end, and the last of each kind."""

    low: int
    high: int
    size: int
    flagged: int | None
    rollback: int | None
    fork: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedTurn:
    """A turn in a list; without its texts if they are large."""

    session_id: str
    turn_number: int
    id: str
    head_number: int
    made_version: bool
    reasoning: str | None
    actor_label: str
    created_at: datetime
    codec: int
    size: int
    salt: bytes | None
    data: bytes | None

    def __post_init__(self) -> None:
        """Open what an encrypting project has sealed.

        Raises: KeysUnavailable.
        """
        reasoning = bodies.opened_text(self.session_id, self.reasoning)
        object.__setattr__(self, "reasoning", reasoning)

    @property
    def is_emptied(self) -> bool:
        """Whether its header stands without what was said."""
        return self.codec == bodies.EMPTIED

    def parts(self) -> dict[str, bytes]:
        """Decode what was stored with the turn, by name.

        Raises: bodies.CorruptBody; ValueError for one that is too large for a list.
        """
        if self.data is None:
            raise ValueError("This turn is shown where it is opened.")
        place = bodies.Place(self.session_id, self.salt or b"")
        return bodies.turn_parts(self.codec, self.data, self.size, place)


TURNS = sql.of_session(f"""
SELECT t.session_id, t.turn_number, t.id, t.head_number, t.made_version, t.reasoning,
       t.actor_label, t.created_at, t.codec, t.size, t.salt,
       CASE WHEN t.size <= {LISTED_TURN_BYTES} THEN t.data END AS data
  FROM timeline_turn t
 WHERE t.session_id = %(session)s AND t.head_number = ANY (%(numbers)s::bigint[])
 ORDER BY t.turn_number DESC LIMIT {LISTED_TURNS}
""")

CLAUSES = {
    "op": " AND v.op = %(op)s",
    "actor": " AND %(actor)s IN (v.actor_label, v.actor_kind)",
    "label": """ AND v.number IN (
        SELECT l.number FROM timeline_label l
         WHERE l.session_id = %(session)s AND l.name = %(label)s)""",
    "path": f""" AND v.number IN (
        (SELECT c.number FROM timeline_change_current c
          WHERE c.session_id = %(session)s AND c.path_key = %(path)s
            AND {keyset.below("c.number", "after")}
          ORDER BY c.number DESC LIMIT %(within)s::bigint)
        UNION
        (SELECT t.number FROM timeline_version t
          WHERE t.session_id = %(session)s AND t.changes_truncated
            AND {keyset.below("t.number", "after")}
          ORDER BY t.number DESC LIMIT %(within)s::bigint))""",
}

# Of the versions of a window, which a filter may have taken from far apart. Notes on
# the session itself stand where they were written, whatever is filtered: from the
# window's last version (or ever, on the last page) to the version the window is after.
ANNOTATIONS = sql.query(
    "timeline", "annotations_beside", labels=LABELS, notes=NOTES, forks=FORKS
)

# One version, flag and rollback for each bucket, by index: LIMIT keeps a plan made for
# sessions of common length from reading all versions of a long one, in 55 ms for 2.
STRIP = sql.query("timeline", "strip_buckets", forks_on_strip=FORKS_ON_STRIP)

# Times never run backwards in a session, so a search by halves finds the place in
# seventeen index reads among 100,000 versions. What was pruned stands as the version
# below it: where the head of that time is gone, its number is returned all the same.
NUMBER_AT = sql.of_session(sql.query("timeline", "version_at"))


def listed_versions(
    session_id: str, wanted: VersionFilter, *, after: int | None, limit: int
) -> list[VersionRow]:
    """Return up to `limit` + 1 versions below number `after`, newest first."""
    given = {name: getattr(wanted, name) for name in CLAUSES if getattr(wanted, name)}
    query = sql.of_session(
        VERSIONS
        + f" AND {keyset.below('v.number', 'after')}"
        + "".join(CLAUSES[name] for name in given)
        + " ORDER BY v.number DESC LIMIT %(limit)s"
    )
    # Alone, a path needs no more of its rows than the page: a path that every version
    # touches has as many as there are versions.
    within = limit + 1 if given.keys() == {"path"} else None
    asked = {"session": session_id, "after": after, "limit": limit + 1}
    return sql.records(VersionRow, query, {**asked, **given, "within": within})


def annotations_beside(
    session_id: str, shown: Sequence[VersionRow], *, after: int | None, is_last: bool
) -> list[Annotation]:
    """Return labels, notes and forks of these versions, and notes on the session.

    Those are as old as the window: it begins below version `after`, and the last one
    has all that are older.
    """
    asked = {
        "session": session_id,
        "numbers": [version.number for version in shown],
        "after": after,
        "since": None if is_last or not shown else shown[-1].created_at,
    }
    return sql.records(Annotation, ANNOTATIONS, asked)


def listed_turns(session_id: str, shown: Sequence[VersionRow]) -> list[ListedTurn]:
    """Return the newest turns made on these versions, newest first."""
    numbers = [version.number for version in shown]
    asked = {"session": session_id, "numbers": numbers}
    return sql.records(ListedTurn, TURNS, asked)


def strip_buckets(session_id: str, head_number: int) -> list[Bucket]:
    """Return the whole life of a session in at most `BUCKETS` pieces, oldest first."""
    n = min(BUCKETS, head_number + 1)
    asked: dict[str, Any] = {"session": session_id, "head": head_number, "n": n}
    return sql.records(Bucket, STRIP, asked)


def version_at(session_id: str, head_number: int, at: datetime) -> int:
    """Return the version that was the head then; before the first, the first."""
    asked = {"session": session_id, "head": head_number, "at": at}
    return int(sql.rows(NUMBER_AT, asked)[0].number)


@dataclass(frozen=True, kw_only=True, slots=True)
class Kin:
    """A session of one family: it was forked from another, or others from it."""

    session_id: str
    origin_session_id: str | None
    origin_number: int | None
    origin_head: int | None
    head_number: int
    status: str
    agent: str
    created_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Parting:
    """A rollback: where a session left what it had been."""

    session_id: str
    number: int
    restored: int


# Up to the root, then down from it; the number of sessions bounds both.
FAMILY = sql.query(
    "timeline",
    "session_family",
    generations=GENERATIONS,
    family_sessions=FAMILY_SESSIONS,
)
PARTINGS = f"""
SELECT w.session_id, r.number, r.restored_number AS restored
  FROM unnest(%(sessions)s::varchar[]) w (session_id)
 CROSS JOIN LATERAL (
       SELECT v.number, v.restored_number FROM timeline_version v
        WHERE v.session_id = w.session_id AND v.restored_number IS NOT NULL
        ORDER BY v.number DESC LIMIT {FAMILY_ROLLBACKS}) r
"""


def session_family(project_id: str, session_id: str) -> list[Kin]:
    """Return the session, what it was forked from, and the forks of all of them.

    At most `FAMILY_SESSIONS`, the newest, but always its own ancestors.
    """
    return sql.records(Kin, FAMILY, {"session": session_id, "project": project_id})


def partings(session_ids: Sequence[str]) -> list[Parting]:
    """Return the newest rollbacks of each of these sessions."""
    return sql.records(Parting, PARTINGS, {"sessions": list(session_ids)})
