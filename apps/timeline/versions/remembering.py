"""The heads that this server's workers have stored: the next write reads none.

Each worker keeps its own, and leaves a copy of each small one where the others find
it: where two workers take the writes of a session in turn, every other would read it.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import datetime
from functools import cached_property
from operator import attrgetter
from typing import Any

import structlog

from apps.agents.scope import Scope
from apps.core import json
from apps.core.processes.shared_hints import VARIABLE, SharedHints
from apps.core.processes.shared_values import MOST_BYTES, SharedValues, inherited
from apps.timeline.versions.reading import UNREAD, Rollback, VersionRow

log = structlog.get_logger(__name__)

KEPT_BYTES = 48 * 1024 * 1024
# What a row takes beside its body, and each change that it shows: 2.5 kB together for
# a row with two (measured); a shown change has at most 900 characters.
ROW_BYTES = 2_000
CHANGE_BYTES = 900
# A larger one is read in a fraction of the time that working on it takes, and must
# wait at the gate for it.
LARGEST = 256 * 1024

# A copy: how many bytes the columns take that the head has, these as JSON, its body.
_COLUMNS = tuple(
    one.name
    for one in fields(VersionRow)
    if one.name not in {"raw", "parsed", "leaves", "rollback"}
)
_column_values = attrgetter(*_COLUMNS)
_WITHOUT = dict.fromkeys(_COLUMNS)
_DIGESTS = ("salt", "commitment", "leaf", "chain", "body_salt", "source_digest")
_TIMES = ("requested_at", "created_at", "session_created_at")
_LENGTH_BYTES = 4
# The columns of a head that changed three short values take 1.2 KB.
LEAST_COLUMNS = 1_000
_rollback_values = attrgetter("number", "restored_number", "created_at")


class RememberedHeads:
    """Heads by session, the least recently used dropped first; safe between threads.

    A remembered head may have been replaced by another process, lost in a failover or
    held back since. So it is a guess: the append names its number and its chain value,
    the SQL function compares both under the session's lock, and whatever a guess leads
    to other than a stored version is asked again on the head as it is.

    Bodies count with the bytes of their parts: parsed states are not kept, which
    takes ten times as much. `shared`: the file by which workers tell of newer heads;
    `values`: the table in which they find those that another one has stored.
    """

    def __init__(
        self,
        max_bytes: int = KEPT_BYTES,
        *,
        shared: Callable[[], str | None] = lambda: os.environ.get(VARIABLE),
        values: Callable[[], SharedValues | None] = inherited,
    ) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._heads: OrderedDict[str, VersionRow] = OrderedDict()
        self._lock = threading.Lock()
        self._shared_file = shared
        self._shared_values = values

    @cached_property
    def _hints(self) -> SharedHints | None:
        """Opened by the first use: before it, the worker may not be forked yet."""
        path = self._shared_file()
        return SharedHints(path) if path else None

    @cached_property
    def _values(self) -> SharedValues | None:
        return self._shared_values()

    def get(self, scope: Scope, session_id: str) -> VersionRow | None:
        """Return the newest head that any worker remembers, if one does.

        What a project has stored must not even show in what another is refused with;
        who is limited to some agents has the session looked up with its agent.
        """
        if scope.agents is not None:
            return None
        head = self._own(session_id)
        newest = None if self._hints is None else self._hints.newest(session_id)
        if head is None or (newest is not None and newest > head.number):
            head = self._others(session_id)
        if head is None or head.project_id != scope.project.id:
            return None
        if newest is not None and newest > head.number:
            self.forget(session_id)
            return None
        return head

    def _own(self, session_id: str) -> VersionRow | None:
        with self._lock:
            head = self._heads.get(session_id)
            if head is not None:
                self._heads.move_to_end(session_id)
            return head

    def _others(self, session_id: str) -> VersionRow | None:
        if self._values is None or (copy := self._values.get(session_id)) is None:
            return None
        try:
            head = unpacked(copy)
        except Exception:
            # A guess: no write fails for one that cannot be read.
            log.exception("a copy of a head cannot be read")
            self._values.drop(session_id)
            return None
        self._keep(head)
        return head

    def put(self, head: VersionRow, *, is_shared: bool = True) -> None:
        """Remember a head that is committed; an older one than is here changes nothing.

        Two writers of one session may come here in another order than they committed.
        `is_shared`: no, where a project encrypts. A worker knows what it opened itself.
        """
        if head.raw is None or head.rollback is UNREAD:
            return
        if self._hints is not None:
            self._hints.tell(head.session_id, head.number)
        if len(head.raw) > LARGEST:
            self.forget(head.session_id)
        elif self._keep(head) and self._values is not None:
            self._leave(head if is_shared else None, head.session_id, self._values)

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
            self._bytes += _size(head)
            while self._bytes > self._max_bytes:
                self._drop(next(iter(self._heads)))
        return True

    @staticmethod
    def _leave(head: VersionRow | None, session_id: str, values: SharedValues) -> None:
        """Leave a copy for the other workers if it has room there, else none at all."""
        if head is None or len(head.raw or b"") + LEAST_COLUMNS > MOST_BYTES:
            values.drop(session_id)
            return
        try:
            values.put(session_id, packed(head))
        except Exception:
            # The write is stored, whatever becomes of its copy.
            log.exception("a head cannot be copied")
            values.drop(session_id)

    def forget(self, session_id: str) -> None:
        """Drop the session's head, which was a wrong guess, and its copy."""
        if self._values is not None:
            self._values.drop(session_id)
        with self._lock:
            self._drop(session_id)

    def __len__(self) -> int:
        """Return how many sessions have their head here."""
        return len(self._heads)

    def _drop(self, session_id: str) -> None:
        head = self._heads.pop(session_id, None)
        if head is not None:
            self._bytes -= _size(head)


def _size(head: VersionRow) -> int:
    texts = len(head.raw or b"") + len(head.reasoning or "")
    return ROW_BYTES + CHANGE_BYTES * len(head.changes) + texts


def packed(head: VersionRow) -> bytes:
    """Write a head that was read whole as the other workers find it."""
    said: dict[str, Any] = {
        name: value
        for name, value in zip(_COLUMNS, _column_values(head), strict=True)
        if value is not None
    }
    for name in _DIGESTS:
        if name in said:
            said[name] = said[name].hex()
    if isinstance(head.rollback, Rollback):
        said["rollback"] = _rollback_values(head.rollback)
    row = json.dumps(said)
    return len(row).to_bytes(_LENGTH_BYTES, "little") + row + (head.raw or b"")


def unpacked(data: bytes) -> VersionRow:
    """Return the head of which `packed` wrote this."""
    end = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "little")
    said: Any = json.parse_written(data[_LENGTH_BYTES:end])
    for name in _DIGESTS:
        if name in said:
            said[name] = bytes.fromhex(said[name])
    for name in _TIMES:
        said[name] = datetime.fromisoformat(said[name])
    rollback = None
    if "rollback" in said:
        number, restored, at = said.pop("rollback")
        rollback = Rollback(number, restored, datetime.fromisoformat(at))
    return VersionRow(**{**_WITHOUT, **said, "raw": data[end:], "rollback": rollback})


REMEMBERED = RememberedHeads()
