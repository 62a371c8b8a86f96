"""What a checkpointer can do beside what LangGraph asks: step back, fork, promote."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.serde.base import SerializerProtocol

from stepback.langgraph import objects
from stepback.langgraph.connections import Connections
from stepback.langgraph.kept import Saved
from stepback.langgraph.merging import MergeSide, Three


class Stepping(Connections):
    """Acts on whole threads: nothing that was stored is ever changed by one."""

    serde: SerializerProtocol
    readable: bool

    def rollback_to(
        self, thread_id: str, checkpoint_id: str, *, reason: str | None = None
    ) -> dict[str, Any]:
        """Make an earlier checkpoint the thread's head again; nothing is erased.

        Raises: LookupError if the thread has no such checkpoint.
        """
        name = str(uuid6())
        done = self.threads.rollback((thread_id, ""), checkpoint_id, name, reason)
        return objects.rolled_back(thread_id, checkpoint_id, name, done)

    async def arollback_to(
        self, thread_id: str, checkpoint_id: str, *, reason: str | None = None
    ) -> dict[str, Any]:
        """Make an earlier checkpoint the thread's head again; see `rollback_to`."""
        name = str(uuid6())
        thread = (thread_id, "")
        done = await self.threads_here.rollback(thread, checkpoint_id, name, reason)
        return objects.rolled_back(thread_id, checkpoint_id, name, done)

    def fork(
        self, thread_id: str, checkpoint_id: str, new_thread_id: str
    ) -> RunnableConfig:
        """Begin a new thread from one checkpoint; the other stays as it is.

        Raises: LookupError if there is no such checkpoint; ExternalIdTaken if the new
        thread exists already.
        """
        target = (new_thread_id, "")
        self.threads.fork((thread_id, ""), checkpoint_id, target)
        return objects.config_of(target)

    async def afork(
        self, thread_id: str, checkpoint_id: str, new_thread_id: str
    ) -> RunnableConfig:
        """Begin a new thread from one checkpoint; see `fork`."""
        target = (new_thread_id, "")
        await self.threads_here.fork((thread_id, ""), checkpoint_id, target)
        return objects.config_of(target)

    def promote(
        self,
        fork_thread_id: str,
        thread_id: str,
        *,
        choose: Mapping[str, MergeSide] | None = None,
        goes_on: MergeSide | None = None,
        reason: str | None = None,
    ) -> RunnableConfig:
        """Bring what a fork changed into the thread that it was forked from.

        Channels are merged one by one: `choose` says `ours` (the thread's) or `theirs`
        for those that both have changed. The next invoke goes on from the result: where
        the thread was, or where the fork was if the thread has not moved, unless
        `goes_on` says whose place in the graph it is.

        Raises: ChannelsClash with the channels to choose for; NothingToPromote;
        ValueError for a choice about a channel that does not clash; LookupError if
        there is no such thread; ApiError (`not_a_fork`) for the fork of another;
        Conflict if the thread moved meanwhile.
        """
        made = partial(self._merged, choose=choose or {}, goes_on=goes_on)
        target = (thread_id, "")
        name, head = self.threads.promote((fork_thread_id, ""), target, made, reason)
        return objects.config_of(target, name, head)

    async def apromote(
        self,
        fork_thread_id: str,
        thread_id: str,
        *,
        choose: Mapping[str, MergeSide] | None = None,
        goes_on: MergeSide | None = None,
        reason: str | None = None,
    ) -> RunnableConfig:
        """Bring what a fork changed into its thread; see `promote`."""
        made = partial(self._merged, choose=choose or {}, goes_on=goes_on)
        here, target = self.threads_here, (thread_id, "")
        name, head = await here.promote((fork_thread_id, ""), target, made, reason)
        return objects.config_of(target, name, head)

    def _merged(
        self,
        three: Three,
        *,
        choose: Mapping[str, MergeSide],
        goes_on: MergeSide | None,
    ) -> Saved:
        name = str(uuid6())
        packed, taken = three.merged(
            self.serde, name=name, choose=choose, goes_on=goes_on
        )
        return objects.merged_of(self.serde, packed, taken, readable=self.readable)
