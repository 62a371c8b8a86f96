"""What is open in a project: who waits for a human, what looks wrong, what is held.

Read from the table that each append keeps true, through its index, so that a page
costs the same however many sessions and acts there are. A session whose time is over
is left out at once; its rows go with the next sweep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.core import keyset, sql
from apps.timeline.words import OpenKind

# Counts are exact up to here; one more means "more than that".
MOST_COUNTED = 1_000
# Of one session so many flagged versions are listed, the newest; see the SQL function.
MOST_FLAGGED = MOST_COUNTED + 1

# The rows of a page first, so that whatever else is shown is read for these alone.
# The objective is that with which it waits, if one says so: of the head, or of the
# version since which it waits where the head says nothing.
PAGE = sql.query(
    "timeline", "open_items", last_id=keyset.LAST_ID, last_number=keyset.LAST_NUMBER
)
COUNTS = """
SELECT k.kind, (
       SELECT count(*) FROM (
              SELECT FROM timeline_open o
                JOIN timeline_session s
                  ON s.id = o.session_id AND s.kind = 'session'
               WHERE o.project_id = %(project)s AND o.kind = k.kind
                 AND (s.expires_at IS NULL OR s.expires_at > %(now)s)
               LIMIT %(counted)s) AS first_ones) AS count
  FROM unnest(%(kinds)s::varchar[]) AS k (kind)
"""


# As many as are counted, with what narrows them: an index on each agent and release
# would be written with every flag.
NEWEST = sql.across("""
SELECT o.session_id, o.number, o.at, o.agent_id, v.release, s.user_id
  FROM timeline_open o
  JOIN timeline_session s ON s.id = o.session_id AND s.kind = 'session'
  JOIN timeline_version v ON v.session_id = o.session_id AND v.number = o.number
 WHERE o.project_id = %(project)s AND o.kind = %(kind)s
   AND (s.expires_at IS NULL OR s.expires_at > %(now)s)
 ORDER BY o.at DESC, o.session_id DESC, o.number DESC LIMIT %(limit)s
""")


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenPlace:
    """Where a page ends, and the next begins."""

    at: datetime
    session_id: str
    number: int


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenItem:
    """Something that needs a person; `number` is the version since which it does."""

    session_id: str
    number: int
    at: datetime
    agent: str
    user_id: str | None
    status: str
    flags: list[str]
    objective_status: str | None

    @property
    def place(self) -> OpenPlace:
        return OpenPlace(at=self.at, session_id=self.session_id, number=self.number)


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenVersion:
    """One of a project's newest open items, and which agent and release made it."""

    session_id: str
    number: int
    at: datetime
    agent_id: str
    release: str | None
    user_id: str | None


FLAGGED = sql.of_session("""
SELECT o.number FROM timeline_open o
 WHERE o.session_id = %(session)s AND o.kind = 'flagged' ORDER BY o.number
""")


def list_open_items(
    project_id: str,
    kind: OpenKind,
    *,
    after: OpenPlace | None = None,
    limit: int,
    now: datetime,
) -> list[OpenItem]:
    """Return up to `limit` + 1 items of a kind, the newest first."""
    asked = {
        "project": project_id,
        "kind": kind.value,
        "at": after and after.at,
        "session": after and after.session_id,
        "number": after and after.number,
        "limit": limit + 1,
        "now": now,
    }
    return sql.records(OpenItem, PAGE, asked)


def newest_open(project_id: str, kind: OpenKind, *, now: datetime) -> list[OpenVersion]:
    """Return the newest items of a kind, up to `MOST_COUNTED` + 1, newest first."""
    asked = {
        "project": project_id,
        "kind": kind.value,
        "now": now,
        "limit": MOST_COUNTED + 1,
    }
    return sql.records(OpenVersion, NEWEST, asked)


def flagged_numbers(session_id: str) -> list[int]:
    """Return which versions look wrong and are not stepped back.

    Of a session with more than `MOST_FLAGGED`, the newest of them; oldest first.
    """
    found = sql.rows(FLAGGED, {"session": session_id})
    return [row.number for row in found]


def open_counts(
    project_id: str, *, now: datetime, kinds: Sequence[OpenKind] = tuple(OpenKind)
) -> dict[OpenKind, int]:
    """Return how many items of these kinds there are, up to `MOST_COUNTED` + 1."""
    asked = {
        "project": project_id,
        "kinds": [kind.value for kind in kinds],
        "counted": MOST_COUNTED + 1,
        "now": now,
    }
    return {OpenKind(row.kind): row.count for row in sql.rows(COUNTS, asked)}
