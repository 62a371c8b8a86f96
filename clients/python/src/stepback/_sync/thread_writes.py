# Written by make_sync.py from _async/thread_writes.py: do not edit.
"""Checkpoints of threads, saved, gone on from and gone back to."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from stepback import answers, calls
from stepback._sync.thread_reads import ThreadReads
from stepback.calls import Call, given
from stepback.errors import CheckpointNotStored, Conflict, ExternalIdTaken
from stepback.langgraph.kept import Saved
from stepback.langgraph.known import Thread
from stepback.langgraph.names import about, external_id
from stepback.langgraph.packing import PART
from stepback.waiting import pause

MINIMAL = {"Prefer": "return=minimal"}
# Of these, each lost to somebody who wrote in between.
TRIES = 5
# As long as a save may take, and between two looks at what was saved.
STORED_SECONDS, STORED_PAUSE = 60.0, 0.01


class ThreadWrites(ThreadReads):
    """Saves what builds on the newest checkpoint, and refuses what does not."""

    def save(self, thread: Thread, saved: Saved) -> int:
        """Store a checkpoint as a version; return its number.

        What it builds on must still be the newest checkpoint, as far as this process
        knows what that was. The same checkpoint saved again is stored once.

        Raises: Conflict; ExternalIdTaken for another checkpoint of that name.
        """
        session_id = self._made(thread)
        expected = self._builds_on(thread, saved)
        try:
            number = self._placed(thread, session_id, saved, expected)
        except BaseException:
            # Who waits for it need not wait any longer.
            self._known.keep_seen(thread, saved.checkpoint_id, None)
            raise
        self._known.keep_head(thread, saved.checkpoint_id, number)
        self._known.keep_seen(thread, saved.checkpoint_id, number)
        return number

    def stored(self, thread: Thread, checkpoint_id: str) -> int:
        """Wait until a checkpoint is stored, which LangGraph does beside its steps.

        Return the head as it was first known with it.

        Raises: CheckpointNotStored.
        """
        until = time.monotonic() + STORED_SECONDS
        while time.monotonic() < until:
            with suppress(KeyError):
                number = self._known.seen(thread, checkpoint_id)
                if number is None:
                    break
                return number
            pause(STORED_PAUSE)
        raise CheckpointNotStored(
            f"The checkpoint {checkpoint_id} of the thread {thread[0]} is not stored."
        )

    def write(
        self,
        thread: Thread,
        *,
        checkpoint_id: str,
        task_id: str,
        task_path: str,
        writes: Sequence[Mapping[str, Any]],
        replace: bool,
    ) -> None:
        """Keep what a task wrote; its checkpoint may be saved later."""
        self.client.sessions.add_writes(
            self._made(thread),
            checkpoint_id=checkpoint_id,
            task_id=task_id,
            task_path=task_path,
            writes=writes,
            replace=replace,
        )

    def fork(self, source: Thread, checkpoint_id: str, target: Thread) -> str:
        """Begin a thread from one checkpoint of another; return its session's id.

        Raises: LookupError if there is none of that name; ExternalIdTaken.
        """
        read = self._required(source, checkpoint_id)
        made = self.client.sessions.fork(
            read.item.session_id,
            read.item.version,
            external_id=external_id(target),
            metadata=about(target, None),
            reason=f"Forked from {source[0]}:{checkpoint_id}",
        )
        self._known.keep_session(target, made.id)
        return made.id

    def rollback(
        self, thread: Thread, checkpoint_id: str, name: str, reason: str | None
    ) -> answers.Rollback:
        """Make an earlier checkpoint the head again, under a new name.

        Raises: LookupError if there is none of that name; NothingToRollBack.
        """
        read = self._required(thread, checkpoint_id)
        newest = self.latest(thread)
        done = self.client.sessions.rollback(
            read.item.session_id,
            read.item.version,
            reason or f"Rolled back to checkpoint {checkpoint_id}",
            external_id=name,
            parent_id=newest.item.checkpoint_id if newest else None,
            expected_version=read.head,
        )
        self._known.keep_head(thread, name, done.version)
        return done

    def _builds_on(self, thread: Thread, saved: Saved) -> int | None:
        """Return the head that a save counts on; None where it claims nothing.

        A run that begins at an old checkpoint saw a newer head; one that goes on saved
        the head itself.
        """
        if saved.parent_id is None and not saved.begins:
            return None
        known = self._known.head(thread, saved.parent_id)
        seen = [one for one in (known, saved.seen) if one is not None]
        return max(seen, default=None)

    def _placed(
        self, thread: Thread, session_id: str, saved: Saved, expected: int | None
    ) -> int:
        """Store it, once: the same again is where it was.

        Raises: Conflict; ExternalIdTaken for another checkpoint of that name.
        """
        try:
            return self._on_head(thread, session_id, saved, expected)
        except ExternalIdTaken:
            return self._same(thread, saved)

    def _on_head(
        self, thread: Thread, session_id: str, saved: Saved, expected: int | None
    ) -> int:
        """Store it on the head, past what others wrote that is no checkpoint.

        Raises: Conflict; ExternalIdTaken.
        """
        for _ in range(TRIES):
            try:
                return self._put(session_id, saved, expected)
            except Conflict as conflict:
                # Somebody held the session, was asked or decided, or merged something:
                # the checkpoint that this one builds on may still be the newest.
                found, head = self._page(thread, limit=1)
                if found and found[0].version > conflict.expected_version:
                    raise
                expected = head
        return self._put(session_id, saved, expected)

    def _put(self, session_id: str, saved: Saved, expected: int | None) -> int:
        told = self.client.transport.run(
            Call(
                method="PUT",
                path=calls.path("sessions", session_id, "state"),
                read=answers.anything,
                headers=MINIMAL,
                body=saved.body() | given(expected_version=expected),
            )
        )
        return int(told["version"])

    def _same(self, thread: Thread, saved: Saved) -> int:
        """Return the version that this checkpoint has already.

        Raises: ExternalIdTaken unless it is the same, byte for byte.
        """
        found, _ = self._page(thread, checkpoint_id=saved.checkpoint_id)
        if found and found[0].opaque.get(PART) == saved.opaque[PART]:
            return found[0].version
        raise ExternalIdTaken(
            f"Another checkpoint of this thread has the id {saved.checkpoint_id}.",
            status=409,
            param="external_id",
        )
