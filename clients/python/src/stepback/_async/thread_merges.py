"""Forks of threads, brought back: what both are is read, and what was merged stored."""

from __future__ import annotations

from collections.abc import Callable

from stepback._async.thread_effects import AsyncThreadEffects
from stepback.langgraph.kept import Read, Saved
from stepback.langgraph.known import Thread
from stepback.langgraph.merging import Three
from stepback.langgraph.packing import PART, unpack


class AsyncThreadMerges(AsyncThreadEffects):
    """Promotes forks: the server knows what of one was promoted, we what it holds."""

    async def promote(
        self,
        fork: Thread,
        thread: Thread,
        merged: Callable[[Three], Saved],
        reason: str | None,
    ) -> tuple[str, int]:
        """Store what was merged as the thread's newest checkpoint: its name and head.

        Raises: LookupError; what `merged` and `sessions.promote` raise.
        """
        ours, theirs = await self._newest(thread), await self._newest(fork)
        made = merged(await self._three(ours, theirs))
        done = await self.client.sessions.promote(
            ours.item.session_id,
            theirs.item.session_id,
            fork_version=theirs.item.version,
            expected_version=ours.head,
            state=made.state,
            opaque=made.opaque,
            external_id=made.checkpoint_id,
            parent_id=ours.item.checkpoint_id,
            step_number=made.step_number,
            reasoning=reason or made.reasoning,
        )
        self._known.keep_head(thread, made.checkpoint_id, done.version)
        self._known.keep_seen(thread, made.checkpoint_id, done.version)
        return made.checkpoint_id, done.version

    async def _newest(self, thread: Thread) -> Read:
        read = await self.latest(thread)
        if read is None:
            raise LookupError(f"thread not found: {thread[0]}")
        return read

    async def _three(self, ours: Read, theirs: Read) -> Three:
        """Return what is merged: the server says what of the fork came in already."""
        about = await self.client.sessions.preview_promote(
            ours.item.session_id,
            theirs.item.session_id,
            fork_version=theirs.item.version,
        )
        session_id, number = about.base["session_id"], about.base["version"]
        base = await self.client.sessions.checkpoint(session_id, number)
        if not base.opaque or PART not in base.opaque:
            raise LookupError(f"checkpoint not found: {session_id} v{number}")
        bodies = base.opaque, ours.item.opaque, theirs.item.opaque
        was, here, there = map(unpack, bodies)
        return Three(base=was, ours=here, theirs=there)
