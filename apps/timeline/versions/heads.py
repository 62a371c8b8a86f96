"""The version that a write or a read begins with: remembered, or read with its state.

Reading is one statement where `fetching` and `reading` take three, because each costs
0.25 ms of the two processors together, whatever it asks. Heads that this server's
workers have stored are remembered: the next write reads none.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property, partial
from typing import Any

from django.db import transaction

from apps.agents.scope import Scope
from apps.core import sql
from apps.core.admission import gate
from apps.timeline import bodies
from apps.timeline.errors import SessionNotFound, VersionNotFound
from apps.timeline.versions import gone, reading
from apps.timeline.versions.copies import Copies, shared_copies, size_in_memory
from apps.timeline.versions.deltas import chain
from apps.timeline.versions.reading import UNREAD, VERSION_COLUMNS, Rollback, VersionRow

ROLLBACK_COLUMNS = ("rollback_number", "rollback_restored_number", "rollback_at")
STORED_COLUMNS = ("numbers", "bases", "codecs", "data", "sizes", "salts")

# What the caller may see, of the kind that is meant: a document is no session, and one
# that all share is no agent's. Deletion is read from the head's hold, never from the
# session's projection. A negative number counts back from the head: -1 is the one
# before it; NULL is the head itself.
FOUND = """
  FROM timeline_session s
  LEFT JOIN agents_agent a ON a.id = s.agent_id
  JOIN LATERAL (SELECT h.number, h.hold FROM timeline_version h
                 WHERE h.session_id = %(session)s
                 ORDER BY h.number DESC LIMIT 1) head ON true
  LEFT JOIN timeline_version v ON v.session_id = %(session)s AND v.number =
       CASE WHEN %(number)s::bigint >= 0 THEN %(number)s::bigint
            ELSE head.number + coalesce(%(number)s::bigint, 0) END
  LEFT JOIN timeline_body b
    ON b.session_id = %(session)s AND b.number = v.body_number
"""
SEEN = """
 WHERE s.id = %(session)s AND s.project_id = %(project)s
   AND s.kind = %(kind)s
   AND (%(agents)s::text[] IS NULL OR a.external_id = ANY (%(agents)s::text[]))
   AND (s.expires_at IS NULL OR s.expires_at > %(now)s)
   AND head.hold <> 'deleted'"""

MOST_BYTES = 48 * 1024 * 1024
# A larger one is read in a fraction of the time that working on it takes, and must
# wait at the gate for it.
LARGEST = 256 * 1024
# Which bodies a process says it has: a head shows, or builds on, one of the newest.
KNOWN = 8
DELTAS = chain(
    session="%(session)s",
    wanted="b.number = v.body_number AND b.number <> ALL (%(known)s::bigint[])",
    known="%(known)s",
)
# The version, the newest rollback up to it, and the stored bytes of its state: those
# that build on one of the bodies `known`, which are decoded already, or all from the
# key frame on.
STORED = f"""
SELECT head.number AS head_number, {VERSION_COLUMNS},
       r.number AS rollback_number, r.restored_number AS rollback_restored_number,
       r.created_at AS rollback_at,
       n.numbers, n.bases, n.codecs, n.data, n.sizes, n.salts
{FOUND}
  LEFT JOIN LATERAL (
       SELECT o.number, o.restored_number, o.created_at FROM timeline_version o
        WHERE o.session_id = %(session)s AND o.number <= v.number
          AND o.restored_number IS NOT NULL
        ORDER BY o.number DESC LIMIT 1) r ON true
  LEFT JOIN LATERAL (
       {DELTAS}
       SELECT array_agg(n.number ORDER BY n.number) AS numbers,
              array_agg(n.base_number ORDER BY n.number) AS bases,
              array_agg(n.codec ORDER BY n.number) AS codecs,
              array_agg(n.data ORDER BY n.number) AS data,
              array_agg(n.size ORDER BY n.number) AS sizes,
              array_agg(n.salt ORDER BY n.number) AS salts
         FROM needed n) n ON true
"""
SHOWN = sql.PreparedQuery(sql.of_session(f"{STORED}{SEEN}"))
# For people: what expired or was deleted is evidence.
KEPT = sql.PreparedQuery(
    sql.of_session(
        f"{STORED} WHERE s.id = %(session)s AND s.project_id = %(project)s"
        " AND s.kind = %(kind)s"
    )
)


def kept(
    scope: Scope, session_id: str, number: int | None, *, now: datetime
) -> VersionRow:
    """As `shown`, of a session that expired or was deleted too: people may see it.

    Raises: SessionNotFound, VersionNotFound, bodies.CorruptBody.
    """
    return shown(scope, session_id, number, now=now, statement=KEPT)


def found(
    statement: sql.PreparedQuery,
    scope: Scope,
    session_id: str,
    number: int | None,
    now: datetime,
    known: Sequence[int] = (),
) -> dict[str, Any]:
    """Run a statement that begins with `head_number`; return the version's columns.

    Raises: SessionNotFound, VersionNotFound (naming the head), VersionPruned.
    """
    rows = sql.run_prepared(
        statement,
        {
            "number": number,
            "session": session_id,
            "project": scope.project.id,
            "agents": scope.agent_list,
            "kind": scope.kind,
            "now": now,
            "known": list(known),
        },
    )
    if not rows:
        raise SessionNotFound
    row: dict[str, Any] = rows[0]._asdict()
    head_number = row.pop("head_number")
    if row["number"] is None:
        wanted = head_number + (number or 0) if (number or 0) < 0 else number or 0
        gone.require_not_pruned(session_id, wanted, head_number)
        raise VersionNotFound(
            f"This session has no version {number}: its head is {head_number}.",
            param="version",
            head=head_number,
        )
    return row


def shown(
    scope: Scope,
    session_id: str,
    number: int | None,
    *,
    now: datetime,
    statement: sql.PreparedQuery = SHOWN,
) -> VersionRow:
    """Return that version with its state and the last rollback; None is the head.

    Raises: SessionNotFound, VersionNotFound, bodies.CorruptBody.
    """
    known = bodies.cache.newest(session_id, KNOWN)
    row = found(statement, scope, session_id, number, now, list(known))
    rollback = [row.pop(name) for name in ROLLBACK_COLUMNS]
    stored = [row.pop(name) for name in STORED_COLUMNS]
    version = VersionRow(
        **row, rollback=None if rollback[0] is None else Rollback(*rollback)
    )
    object.__setattr__(version, "raw", _shown_raw(version, stored, known))
    return version


def _shown_raw(
    version: VersionRow, stored: list[list[Any] | None], raws: dict[int, bytes]
) -> bytes:
    """Decode what was read with the version, on top of what was known."""
    gate.enter(version.body_size)
    columns = [column or [] for column in stored]
    if not version.body_salt:
        reading.require_contents(version)
    spans = bodies.Spans()
    for number, base_number, codec, data, size, salt in zip(*columns, strict=True):
        # A base has a lower number than what builds on it, and no other use here.
        base = None if base_number is None else raws.pop(base_number)
        place = bodies.Place(version.session_id, salt)
        raws[number] = bodies.decode(codec, data, size, base, place, spans)
    raw = raws[version.body_number]
    key = (version.session_id, version.body_number)
    if not columns[0]:
        bodies.cache.get(key)  # it was used
    else:
        bodies.verify(raw, version.body_salt, version.commitment)
        transaction.on_commit(partial(bodies.cache.put, key, raw))
    return raw


class RememberedHeads:
    """Heads by session, the least recently used dropped first; safe between threads.

    A remembered head may have been replaced by another process, lost in a failover or
    held back since. So it is a guess: the append names its number and its chain value,
    the SQL function compares both under the session's lock, and whatever a guess leads
    to other than a stored version is asked again on the head as it is.

    Bodies count with the bytes of their parts: parsed states are not kept, which
    takes ten times as much. `copies`: what other workers tell of theirs.
    """

    def __init__(
        self,
        max_bytes: int = MOST_BYTES,
        copies: Callable[[], Copies | None] = shared_copies,
    ) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._heads: OrderedDict[str, VersionRow] = OrderedDict()
        self._lock = threading.Lock()
        self._shared = copies

    @cached_property
    def _copies(self) -> Copies | None:
        return self._shared()  # not before the first use: it may not be forked yet

    def get(self, scope: Scope, session_id: str) -> VersionRow | None:
        """Return the newest head that any worker remembers, if one does.

        What a project has stored must not even show in what another is refused with;
        who is limited to some agents has the session looked up with its agent.
        """
        if scope.agents is not None:
            return None
        with self._lock:
            if head := self._heads.get(session_id):
                self._heads.move_to_end(session_id)
        if self._copies is not None:
            head = self._newest(head, session_id, self._copies)
        return head if head and head.project_id == scope.project.id else None

    def _newest(
        self, head: VersionRow | None, session_id: str, copies: Copies
    ) -> VersionRow | None:
        """Return the head as it is here or, where that is old, as another left it."""
        newest = copies.newest(session_id)
        if head is not None and (newest is None or newest <= head.number):
            return head
        found = copies.find(session_id)
        if found is None or (newest is not None and newest > found.number):
            self.forget(session_id)
            return None
        self._keep(found)
        return found

    def put(self, head: VersionRow, *, is_shared: bool = True) -> None:
        """Remember a head that is committed; an older one than is here changes nothing.

        Two writers of one session may come here in another order than they committed.
        `is_shared`: no, where a project encrypts. A worker knows what it opened itself.
        """
        if head.raw is None or head.rollback is UNREAD:
            return
        if self._copies is not None:
            self._copies.tell(head.session_id, head.number)
        if len(head.raw) > LARGEST:
            self.forget(head.session_id)
        elif self._keep(head) and self._copies is not None:
            self._copies.leave(head, is_shared=is_shared)

    def _keep(self, head: VersionRow) -> bool:
        """Keep it here, where no newer one is; say whether it was kept."""
        if head.parsed is not None or head.leaves is not None:
            head = replace(head, parsed=None, leaves=None)
        with self._lock:
            known = self._heads.get(head.session_id)
            if known is not None and known.number > head.number:
                return False
            self._drop(head.session_id)
            self._heads[head.session_id] = head
            self._bytes += size_in_memory(head)
            while self._bytes > self._max_bytes:
                self._drop(next(iter(self._heads)))
        return True

    def forget(self, session_id: str) -> None:
        """Drop the session's head, which was a wrong guess, and its copy."""
        if self._copies is not None:
            self._copies.drop(session_id)
        with self._lock:
            self._drop(session_id)

    def __len__(self) -> int:
        """Return how many sessions have their head here."""
        return len(self._heads)

    def _drop(self, session_id: str) -> None:
        if head := self._heads.pop(session_id, None):
            self._bytes -= size_in_memory(head)


REMEMBERED = RememberedHeads()
