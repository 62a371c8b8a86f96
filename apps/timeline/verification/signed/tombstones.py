"""Tombstones as they are signed: once each, by their digests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from apps.core import sql
from apps.core.notes.roots import Head, Kind
from apps.timeline.models import Tombstone

SEPARATOR = "/"
AT_ONCE = 500
_COLUMNS = """
t.created_at, t.session_id, t.kind, t.first_number, t.last_number, t.count,
t.chain_before, t.chain_after, t.leaves_digest, t.rollbacks, t.turns, t.first_turn,
t.last_turn, t.turn_chain_before, t.turn_chain_after, t.turn_leaves_digest,
t.shown_from, t.project_id, t.removal_id, t.reason
"""
_AFTER = sql.across(f"""
SELECT {_COLUMNS} FROM timeline_tombstone t
 WHERE (t.created_at, t.session_id, t.kind, t.first_number)
       > (%(at)s::timestamptz, %(session)s, %(kind)s, %(first)s)
 ORDER BY t.created_at, t.session_id, t.kind, t.first_number LIMIT %(limit)s
""")  # noqa: S608
_NAMED = sql.across(f"""
SELECT {_COLUMNS} FROM timeline_tombstone t
 WHERE t.session_id = ANY (%(sessions)s)
   AND t.session_id || '/' || t.kind || '/' || t.first_number = ANY (%(ids)s)
   AND (t.created_at, t.session_id, t.kind, t.first_number)
       > (%(at)s::timestamptz, %(session)s, %(kind)s, %(first)s)
 ORDER BY t.created_at, t.session_id, t.kind, t.first_number LIMIT %(limit)s
""")  # noqa: S608


class Mark(NamedTuple):
    """Behind which tombstone the next ones are, in the order in which they came."""

    at: datetime
    session_id: str = ""
    kind: str = ""
    first: int = -1


BEFORE_ALL = Mark(datetime.min.replace(tzinfo=UTC))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Stone:
    """A tombstone in the columns that its digest is of."""

    created_at: datetime
    session_id: str
    kind: str
    first_number: int
    last_number: int
    count: int
    chain_before: bytes
    chain_after: bytes
    leaves_digest: bytes
    rollbacks: int
    turns: int
    first_turn: int
    last_turn: int
    turn_chain_before: bytes | None
    turn_chain_after: bytes | None
    turn_leaves_digest: bytes | None
    shown_from: int | None
    project_id: str
    removal_id: str
    reason: str

    @property
    def mark(self) -> Mark:
        return Mark(self.created_at, self.session_id, self.kind, self.first_number)

    @property
    def head(self) -> Head:
        id = SEPARATOR.join((self.session_id, self.kind, str(self.first_number)))
        leaf = bytes.fromhex(Tombstone(**asdict(self)).digest)
        return Head(Kind.TOMBSTONE, id, self.last_number, leaf)


def tombstones_after(mark: Mark, limit: int) -> list[tuple[Mark, Head]]:
    """Return the tombstones that came next, oldest first, as leaves of a note."""
    asked = _behind(mark) | {"limit": limit}
    return [(one.mark, one.head) for one in sql.records(_Stone, _AFTER, asked)]


def tombstones_named(ids: Sequence[str]) -> dict[str, dict[bytes | None, datetime]]:
    """Return which tombstones leaves with these ids are about: chains, since when.

    Of a document there may be several: who comes back has the same one again.
    """
    sessions = [id.partition(SEPARATOR)[0] for id in ids]
    asked = {"sessions": sessions, "ids": list(ids), "limit": AT_ONCE}
    found: dict[str, dict[bytes | None, datetime]] = {}
    mark = BEFORE_ALL
    while some := list(sql.records(_Stone, _NAMED, asked | _behind(mark))):
        for one in some:
            found.setdefault(one.head.id, {})[one.head.chain] = one.created_at
        mark = some[-1].mark
    return found


def _behind(mark: Mark) -> dict[str, Any]:
    return {
        "at": mark.at,
        "session": mark.session_id,
        "kind": mark.kind,
        "first": mark.first,
    }
