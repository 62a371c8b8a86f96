# Written by make_sync.py from _async/thread_reads.py: do not edit.
"""Checkpoints of threads, read: a checkpoint is a version with its name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from stepback._sync.thread_sessions import ThreadSessions
from stepback.answers import NamedCheckpoint
from stepback.errors import SessionNotFound
from stepback.langgraph.kept import Read
from stepback.langgraph.known import Thread
from stepback.langgraph.packing import PART

PAGE = 100


class ThreadReads(ThreadSessions):
    """Reads checkpoints, and remembers the head that was there."""

    def latest(self, thread: Thread) -> Read | None:
        """Return the newest checkpoint, remembering what a save will build on."""
        found, head = self._page(thread, limit=1)
        if not found or PART not in found[0].opaque:
            self._known.keep_head(thread, None, head)
            return None
        return self._seen(thread, found[0], head)

    def named(self, thread: Thread, checkpoint_id: str) -> Read | None:
        """Return the checkpoint of that name."""
        found, head = self._page(thread, checkpoint_id=checkpoint_id)
        if not found or PART not in found[0].opaque:
            return None
        return self._seen(thread, found[0], head)

    def newest(
        self,
        thread: Thread,
        *,
        named: str | None = None,
        before: str | None = None,
        limit: int | None = None,
    ) -> Iterator[Read]:
        """Yield checkpoints, newest first; only the one named, or those before one."""
        if named is not None:
            read = self.named(thread, named)
            start = self._place(thread, before)
            if read is not None and _comes_before(read.item, before, start):
                yield read
            return
        start = after = self._place(thread, before)
        while True:
            size = PAGE if limit is None else min(limit, PAGE)
            found, head = self._page(thread, starting_after=after, limit=size)
            for item in found:
                if PART in item.opaque and _comes_before(item, before, start):
                    yield self._read(thread, item, head)
            if not found:
                return
            after = found[-1].version

    def _place(self, thread: Thread, checkpoint_id: str | None) -> int | None:
        """Return which version a checkpoint is, None where the thread has none such."""
        if checkpoint_id is None:
            return None
        found, _ = self._page(thread, checkpoint_id=checkpoint_id)
        return found[0].version if found else None

    def _required(self, thread: Thread, checkpoint_id: str) -> Read:
        read = self.named(thread, checkpoint_id)
        if read is None:
            raise LookupError(f"checkpoint not found: {checkpoint_id}")
        return read

    def _page(
        self, thread: Thread, **asked: Any
    ) -> tuple[Sequence[NamedCheckpoint], int]:
        session_id = self._session(thread)
        if session_id is None:
            return (), 0
        try:
            page = self.client.sessions.list_checkpoints(session_id, **asked)
        except SessionNotFound:
            return (), 0
        return page.data, page.current_version or 0

    def _seen(self, thread: Thread, item: NamedCheckpoint, head: int) -> Read:
        self._known.keep_seen(thread, item.checkpoint_id, head)
        read = self._read(thread, item, head)
        schema = self.schema
        if schema is None or item.schema_version == schema.version:
            return read
        shown = self.client.sessions.get_version(
            item.session_id, item.version, schema=schema.version, before=schema.before
        )
        return replace(read, migrated=shown.state or {})

    def _read(self, thread: Thread, item: NamedCheckpoint, head: int) -> Read:
        parent_id = item.parent_id
        if parent_id is None and item.op == "rollback":
            found, _ = self._page(thread, starting_after=item.version, limit=1)
            parent_id = found[0].checkpoint_id if found else None
        return Read(thread=thread, item=item, head=head, parent_id=parent_id)


def _comes_before(item: NamedCheckpoint, before: str | None, start: int | None) -> bool:
    """Say whether a checkpoint is older than another, by its place or else its name."""
    if before is None:
        return True
    return item.version < start if start is not None else item.checkpoint_id < before
