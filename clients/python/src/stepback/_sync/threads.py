# Written by make_sync.py from _async/threads.py: do not edit.
"""Threads of a checkpointer, kept as sessions.

Knows sessions, versions and marks, and nothing of what a checkpoint holds. One session
for each namespace of a thread; a checkpoint is a version with the checkpoint's name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stepback._sync.thread_merges import ThreadMerges
from stepback.answers import NamedCheckpoint
from stepback.langgraph.kept import Saved, batches
from stepback.langgraph.known import Thread
from stepback.langgraph.packing import PART, pack, shown_as, unpack

PAGE = 100


def _copied(item: NamedCheckpoint) -> Saved:
    """Return a checkpoint as it is kept in another thread, under the same name."""
    packed = unpack(item.opaque)
    return Saved(
        checkpoint_id=item.checkpoint_id,
        parent_id=item.parent_id,
        state=item.state or {},
        opaque=pack(shown_as(packed, item.checkpoint_id)),
        step_number=item.step_number,
        trace_id=item.trace_id,
        schema_version=item.schema_version,
    )


class Threads(ThreadMerges):
    """Reads and writes threads, hides them and copies them."""

    def hide_all(self, thread_id: str) -> None:
        """Hide every checkpoint of a thread, in all its namespaces."""
        for thread in self.namespaces(thread_id):
            session_id = self._session(thread)
            if session_id is not None:
                head = (self.client.sessions.get_state(session_id)).version
                self.client.sessions.hide_versions(session_id, 0, head)
        self._known.forget(thread_id)

    def hide_but_latest(self, thread_id: str) -> None:
        """Hide all but the newest checkpoint of each namespace."""
        for thread in self.namespaces(thread_id):
            found, _ = self._page(thread, limit=1)
            session_id = self._session(thread)
            if session_id is not None and found and found[0].version > 0:
                last = found[0].version - 1
                self.client.sessions.hide_versions(session_id, 0, last)

    def hide_runs(self, run_ids: Sequence[str]) -> None:
        """Hide the checkpoints that these runs saved, in whichever thread."""
        for run_id in run_ids:
            quoted = run_id.replace("\\", "\\\\").replace('"', '\\"')
            found = []
            after = None
            while True:
                page = self.client.search(
                    f'trace:"{quoted}"',
                    kind="versions",
                    limit=100,
                    starting_after=after,
                )
                found += [(one.session_id, one.version) for one in page.data]
                after = page.next
                if after is None:
                    break
            for session_id, number in found:
                if number is not None:
                    self.client.sessions.hide_versions(session_id, number, number)

    def copy(self, source_id: str, target_id: str) -> None:
        """Copy all checkpoints and writes into another thread, all namespaces."""
        for source in self.namespaces(source_id):
            target = (target_id, source[1])
            items = self._copies_of(source)
            self._add(target, [_copied(item) for item in items])
            for item in items:
                self._copy_writes(target, item)

    def _copy_writes(self, target: Thread, item: NamedCheckpoint) -> None:
        by_task: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        for one in item.writes:
            by_task.setdefault((one["task_id"], one["task_path"]), []).append(one)
        for (task_id, task_path), writes in by_task.items():
            names = ("index", "channel", "type", "base64")
            self.write(
                target,
                checkpoint_id=item.checkpoint_id,
                task_id=task_id,
                task_path=task_path,
                writes=[{name: one[name] for name in names} for one in writes],
                replace=False,
            )

    def _copies_of(self, thread: Thread) -> list[NamedCheckpoint]:
        """Return every checkpoint with its state, oldest first."""
        session_id, found, after = self._session(thread), [], None
        while session_id is not None:
            page = self.client.sessions.list_checkpoints(
                session_id, limit=PAGE, starting_after=after, include_state=True
            )
            found += [item for item in page.data if PART in item.opaque]
            if not page.data:
                break
            after = page.data[-1].version
        return found[::-1]

    def _add(self, thread: Thread, items: Sequence[Saved]) -> None:
        """Append checkpoints, as many at once as one request may hold."""
        if not items:
            return
        session_id = self._made(thread)
        for batch in batches(items):
            body: Any = [{"op": "replace", **item.body()} for item in batch]
            self.client.sessions.append_batch(session_id, body)
