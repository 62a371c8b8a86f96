"""Threads of a checkpointer, kept as sessions.

Knows sessions, versions and marks, and nothing of what a checkpoint holds. One session
for each namespace of a thread; a checkpoint is a version with the checkpoint's name.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from stepback import answers, calls
from stepback._async.client import AsyncStepback
from stepback.answers import NamedCheckpoint
from stepback.calls import Call, given
from stepback.errors import Conflict, ExternalIdTaken, SessionNotFound
from stepback.langgraph.kept import Read, Saved, batches
from stepback.langgraph.known import Known, Thread
from stepback.langgraph.names import about, external_id, thread_of
from stepback.langgraph.packing import PART, pack, shown_as, unpack

PAGE = 100
MINIMAL = {"Prefer": "return=minimal"}


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
    )


class AsyncThreads:
    """Reads and writes threads; what it learns on the way, it shares with others."""

    def __init__(self, client: AsyncStepback, known: Known, agent_id: str) -> None:
        self.client = client
        self._known = known
        self._agent_id = agent_id

    async def latest(self, thread: Thread) -> Read | None:
        """Return the newest checkpoint, remembering what a save will build on."""
        found, head = await self._page(thread, limit=1)
        if not found or PART not in found[0].opaque:
            self._known.keep_head(thread, None, head)
            return None
        return await self._read(thread, found[0], head)

    async def named(self, thread: Thread, checkpoint_id: str) -> Read | None:
        """Return the checkpoint of that name."""
        found, head = await self._page(thread, checkpoint_id=checkpoint_id)
        if not found or PART not in found[0].opaque:
            return None
        return await self._read(thread, found[0], head)

    async def asked_for(
        self, thread_id: str | None, namespace: str | None
    ) -> list[Thread]:
        """Return the threads that a list asks for; None stands for all."""
        if thread_id is None:
            every = []
            async for thread in self.all_threads():
                every.append(thread)
            return every
        if namespace is None:
            return await self.namespaces(thread_id)
        return [(thread_id, namespace)]

    async def newest(
        self,
        thread: Thread,
        *,
        named: str | None = None,
        before: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[Read]:
        """Yield checkpoints, newest first; only the one named, or those before one."""
        if named is not None:
            read = await self.named(thread, named)
            if read is not None:
                yield read
            return
        after = None
        if before is not None:
            found, _ = await self._page(thread, checkpoint_id=before)
            after = found[0].version if found else None
        while True:
            size = PAGE if limit is None else min(limit, PAGE)
            found, head = await self._page(thread, starting_after=after, limit=size)
            for item in found:
                is_before = after is not None or before is None
                if PART in item.opaque and (
                    is_before or item.checkpoint_id < str(before)
                ):
                    yield await self._read(thread, item, head)
            if not found:
                return
            after = found[-1].version

    async def namespaces(self, thread_id: str) -> list[Thread]:
        """Return all namespaces of a thread that have a session."""
        told = {"langgraph": {"thread_id": thread_id}}
        root = (thread_id, "")
        found = {root} if await self._session(root) else set()
        async for thread in self.all_threads(told):
            if thread[0] == thread_id:
                found.add(thread)
        return sorted(found)

    async def all_threads(
        self, metadata: Mapping[str, Any] | None = None
    ) -> AsyncIterator[Thread]:
        """Yield every thread and namespace, the newest sessions first."""
        after = None
        while True:
            page = await self.client.sessions.list(
                metadata=metadata or {"langgraph": {}}, limit=PAGE, starting_after=after
            )
            for session in page.data:
                thread = thread_of(session.metadata, session.external_id)
                if thread is not None:
                    self._known.keep_session(thread, session.id)
                    yield thread
            if not page.has_more:
                return
            after = page.last_id

    async def save(self, thread: Thread, saved: Saved) -> int:
        """Store a checkpoint as a version; return its number.

        What it builds on must still be the newest checkpoint, as far as this process
        knows what that was. The same checkpoint saved again is stored once.

        Raises: Conflict; ExternalIdTaken for another checkpoint of that name.
        """
        session_id = await self._made(thread)
        expected = self._builds_on(thread, saved)
        try:
            number = await self._put(session_id, saved, expected)
        except ExternalIdTaken:
            number = await self._same(thread, saved)
        except Conflict as conflict:
            # Somebody held the session, or merged something: the checkpoint that this
            # one builds on may still be the newest.
            found, head = await self._page(thread, limit=1)
            if found and found[0].version > conflict.expected_version:
                raise
            number = await self._put(session_id, saved, head)
        self._known.keep_head(thread, saved.checkpoint_id, number)
        return number

    async def write(
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
        await self.client.sessions.add_writes(
            await self._made(thread),
            checkpoint_id=checkpoint_id,
            task_id=task_id,
            task_path=task_path,
            writes=writes,
            replace=replace,
        )

    async def hide_all(self, thread_id: str) -> None:
        """Hide every checkpoint of a thread, in all its namespaces."""
        for thread in await self.namespaces(thread_id):
            session_id = await self._session(thread)
            if session_id is not None:
                head = (await self.client.sessions.get_state(session_id)).version
                await self.client.sessions.hide_versions(session_id, 0, head)
        self._known.forget(thread_id)

    async def hide_but_latest(self, thread_id: str) -> None:
        """Hide all but the newest checkpoint of each namespace."""
        for thread in await self.namespaces(thread_id):
            found, _ = await self._page(thread, limit=1)
            session_id = await self._session(thread)
            if session_id is not None and found and found[0].version > 0:
                last = found[0].version - 1
                await self.client.sessions.hide_versions(session_id, 0, last)

    async def hide_runs(self, run_ids: Sequence[str]) -> None:
        """Hide the checkpoints that these runs saved, in whichever thread."""
        for run_id in run_ids:
            quoted = run_id.replace("\\", "\\\\").replace('"', '\\"')
            found = []
            after = None
            while True:
                page = await self.client.search(
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
                    await self.client.sessions.hide_versions(session_id, number, number)

    async def fork(self, source: Thread, checkpoint_id: str, target: Thread) -> str:
        """Begin a thread from one checkpoint of another; return its session's id.

        Raises: LookupError if there is none of that name; ExternalIdTaken.
        """
        read = await self._required(source, checkpoint_id)
        made = await self.client.sessions.fork(
            read.item.session_id,
            read.item.version,
            external_id=external_id(target),
            metadata=about(target, None),
            reason=f"Forked from {source[0]}:{checkpoint_id}",
        )
        self._known.keep_session(target, made.id)
        return made.id

    async def rollback(
        self, thread: Thread, checkpoint_id: str, name: str, reason: str | None
    ) -> answers.Rollback:
        """Make an earlier checkpoint the head again, under a new name.

        Raises: LookupError if there is none of that name; NothingToRollBack.
        """
        read = await self._required(thread, checkpoint_id)
        newest = await self.latest(thread)
        done = await self.client.sessions.rollback(
            read.item.session_id,
            read.item.version,
            reason or f"Rolled back to checkpoint {checkpoint_id}",
            external_id=name,
            parent_id=newest.item.checkpoint_id if newest else None,
            expected_version=read.head,
        )
        self._known.keep_head(thread, name, done.version)
        return done

    async def copy(self, source_id: str, target_id: str) -> None:
        """Copy all checkpoints and writes into another thread, all namespaces."""
        for source in await self.namespaces(source_id):
            target = (target_id, source[1])
            items = await self._copies_of(source)
            await self._add(target, [_copied(item) for item in items])
            for item in items:
                await self._copy_writes(target, item)

    async def _copy_writes(self, target: Thread, item: NamedCheckpoint) -> None:
        by_task: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        for one in item.writes:
            by_task.setdefault((one["task_id"], one["task_path"]), []).append(one)
        for (task_id, task_path), writes in by_task.items():
            names = ("index", "channel", "type", "base64")
            await self.write(
                target,
                checkpoint_id=item.checkpoint_id,
                task_id=task_id,
                task_path=task_path,
                writes=[{name: one[name] for name in names} for one in writes],
                replace=False,
            )

    async def _copies_of(self, thread: Thread) -> list[NamedCheckpoint]:
        """Return every checkpoint with its state, oldest first."""
        session_id, found, after = await self._session(thread), [], None
        while session_id is not None:
            page = await self.client.sessions.list_checkpoints(
                session_id, limit=PAGE, starting_after=after, include_state=True
            )
            found += [item for item in page.data if PART in item.opaque]
            if not page.data:
                break
            after = page.data[-1].version
        return found[::-1]

    async def _add(self, thread: Thread, items: Sequence[Saved]) -> None:
        """Append checkpoints, as many at once as one request may hold."""
        if not items:
            return
        session_id = await self._made(thread)
        for batch in batches(items):
            body: Any = [{"op": "replace", **item.body()} for item in batch]
            await self.client.sessions.append_batch(session_id, body)

    async def _required(self, thread: Thread, checkpoint_id: str) -> Read:
        read = await self.named(thread, checkpoint_id)
        if read is None:
            raise LookupError(f"checkpoint not found: {checkpoint_id}")
        return read

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

    async def _put(self, session_id: str, saved: Saved, expected: int | None) -> int:
        told = await self.client.transport.run(
            Call(
                method="PUT",
                path=calls.path("sessions", session_id, "state"),
                read=answers.anything,
                headers=MINIMAL,
                body=saved.body() | given(expected_version=expected),
            )
        )
        return int(told["version"])

    async def _same(self, thread: Thread, saved: Saved) -> int:
        """Return the version that this checkpoint has already.

        Raises: ExternalIdTaken unless it is the same, byte for byte.
        """
        found, _ = await self._page(thread, checkpoint_id=saved.checkpoint_id)
        if found and found[0].opaque.get(PART) == saved.opaque[PART]:
            return found[0].version
        raise ExternalIdTaken(
            f"Another checkpoint of this thread has the id {saved.checkpoint_id}.",
            status=409,
            param="external_id",
        )

    async def _page(
        self, thread: Thread, **asked: Any
    ) -> tuple[Sequence[NamedCheckpoint], int]:
        session_id = await self._session(thread)
        if session_id is None:
            return (), 0
        try:
            page = await self.client.sessions.list_checkpoints(session_id, **asked)
        except SessionNotFound:
            return (), 0
        return page.data, page.current_version or 0

    async def _read(self, thread: Thread, item: NamedCheckpoint, head: int) -> Read:
        parent_id = item.parent_id
        if parent_id is None and item.op == "rollback":
            found, _ = await self._page(thread, starting_after=item.version, limit=1)
            parent_id = found[0].checkpoint_id if found else None
        return Read(thread=thread, item=item, head=head, parent_id=parent_id)

    async def _session(self, thread: Thread) -> str | None:
        """Return the session of a thread; a session's own id names it, too."""
        known = self._known.session(thread)
        if known is not None:
            return known
        found = await self.client.sessions.list(
            external_id=external_id(thread), limit=1
        )
        if found.data:
            session_id = found.data[0].id
        elif thread[0].startswith("sess_") and not thread[1]:
            return thread[0]
        else:
            return None
        self._known.keep_session(thread, session_id)
        return session_id

    async def _made(self, thread: Thread) -> str:
        """Return the session of a thread, begun if there is none."""
        session_id = await self._session(thread)
        if session_id is not None:
            return session_id
        thread_id, namespace = thread
        parent = await self._session((thread_id, "")) if namespace else None
        try:
            made = await self.client.sessions.create(
                self._agent_id,
                external_id=external_id(thread),
                metadata=about(thread, parent),
            )
            session_id = made.id
        except ExternalIdTaken as taken:
            # Another worker began it at the same moment.
            if taken.session_id is None:
                raise
            session_id = taken.session_id
        self._known.keep_session(thread, session_id)
        return session_id
