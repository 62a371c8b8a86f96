"""What the workers of this server tell each other of the heads that they have stored.

The newest number of each session; and of a small head a copy, so that where two workers
take the writes of a session in turn not every other one reads it. Both are guesses.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from datetime import datetime
from operator import attrgetter
from typing import Any

import structlog

from apps.core import json
from apps.core.processes.shared_hints import VARIABLE, SharedHints
from apps.core.processes.shared_values import MOST_BYTES, SharedValues, inherited
from apps.timeline.versions.reading import Rollback, VersionRow

log = structlog.get_logger(__name__)

# What a row takes beside its body, and each change that it shows: 2.5 kB together for
# a row with two (measured); a shown change has at most 900 characters.
ROW_BYTES = 2_000
CHANGE_BYTES = 900
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


@dataclass(frozen=True, slots=True)
class Copies:
    """The file of newest numbers and the table of copies, where there are any."""

    hints: SharedHints | None
    values: SharedValues | None

    def newest(self, session_id: str) -> int | None:
        """Return the newest number that any worker has told of."""
        return None if self.hints is None else self.hints.newest(session_id)

    def tell(self, session_id: str, number: int) -> None:
        """Have the other workers know of this number."""
        if self.hints is not None:
            self.hints.tell(session_id, number)

    def find(self, session_id: str) -> VersionRow | None:
        """Return the head that a worker has left."""
        copy = None if self.values is None else self.values.get(session_id)
        if copy is None:
            return None
        try:
            return unpacked(copy)
        except Exception:
            # A guess: no write fails for one that cannot be read.
            log.exception("a copy of a head cannot be read")
            self.drop(session_id)
            return None

    def leave(self, head: VersionRow, *, is_shared: bool) -> None:
        """Leave a copy if it may be and has room, else none, not even an older one."""
        if self.values is None:
            return
        has_room = len(head.raw or b"") + LEAST_COLUMNS <= MOST_BYTES
        if not (is_shared and has_room):
            self.drop(head.session_id)
            return
        try:
            self.values.put(head.session_id, packed(head))
        except Exception:
            # The write is stored, whatever becomes of its copy.
            log.exception("a head cannot be copied")
            self.drop(head.session_id)

    def drop(self, session_id: str) -> None:
        """Take the session's copy away."""
        if self.values is not None:
            self.values.drop(session_id)


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


def shared_copies() -> Copies | None:
    """Return what this worker has from the process that started it, if anything."""
    path, values = os.environ.get(VARIABLE), inherited()
    if path is None and values is None:
        return None
    return Copies(None if path is None else SharedHints(path), values)


def size_in_memory(head: VersionRow) -> int:
    """Return the bytes that a head takes which a process remembers."""
    texts = len(head.raw or b"") + len(head.reasoning or "")
    return ROW_BYTES + CHANGE_BYTES * len(head.changes) + texts
