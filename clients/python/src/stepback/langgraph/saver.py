"""`StepbackSaver`: LangGraph's checkpointer, kept in Stepback.

What is kept where is in `threads`, how LangGraph's objects are turned in `objects`. The
synchronous and the asynchronous methods differ only in which of the two they ask.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.types import Interrupt

from stepback.langgraph import objects
from stepback.langgraph.acting.answered import Answers
from stepback.langgraph.connections import Connections
from stepback.langgraph.kept import Schema
from stepback.langgraph.objects import Wanted, thread_in
from stepback.langgraph.stepping import Stepping

AGENT = "langgraph"
# An interrupt waits without an end of its own: the longest that an approval may.
ASKED_SECONDS = 90 * 86_400


class StepbackSaver(BaseCheckpointSaver[int], Stepping):
    """Keeps checkpoints in Stepback: `graph.compile(checkpointer=StepbackSaver(...))`.

    Two workers that go on from the same checkpoint do not overwrite each other: the
    second gets `stepback.Conflict`. `agent_id` is the agent that sessions belong to.
    Unless `readable` is False, or the serialiser encrypts, people see the channels in
    the console as JSON. With `approvals` people are asked what an interrupt asks, and
    `resume` goes on with what they decided; they have `approval_seconds` for it.

    With `schema` the newest checkpoint and one that is named are read under that schema
    of the agent, migrated where they are of another, and all are written under it:
    what was read is stored as that with the next checkpoint. `schema_from` is what
    checkpoints are taken to be of that name none.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        agent_id: str = AGENT,
        serde: SerializerProtocol | None = None,
        readable: bool | None = None,
        approvals: bool = False,
        approval_seconds: int = ASKED_SECONDS,
        schema: str | None = None,
        schema_from: str | None = None,
        timeout: float = 30.0,
        retries: int = 4,
    ) -> None:
        BaseCheckpointSaver.__init__(self, serde=serde)
        Connections.__init__(
            self,
            agent_id,
            schema=None
            if schema is None
            else Schema(version=schema, before=schema_from),
            api_key=api_key,
            base_url=base_url,
            timeout=timeout,
            retries=retries,
        )
        encrypts = isinstance(self.serde, EncryptedSerializer)
        self.readable = not encrypts if readable is None else readable
        if schema is not None and not self.readable:
            raise ValueError("A schema is of what people can read: readable=True.")
        self._approvals = approvals
        self._approval_seconds = approval_seconds

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that the config names, or the newest."""
        thread, name = thread_in(config), get_checkpoint_id(config)
        read = self.threads.named(thread, name) if name else self.threads.latest(thread)
        return None if read is None else objects.tuple_of(self.serde, read)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that the config names, or the newest."""
        threads, thread, name = (
            self.threads_here,
            thread_in(config),
            get_checkpoint_id(config),
        )
        read = await (threads.named(thread, name) if name else threads.latest(thread))
        return None if read is None else objects.tuple_of(self.serde, read)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Yield checkpoints, newest first, that meet the filter on metadata."""
        wanted = Wanted(config, filter, before, limit)
        for thread in self.threads.asked_for(*wanted.threads):
            if wanted.is_full:
                return
            for read in self.threads.newest(thread, **wanted.asked):
                found = objects.tuple_of(self.serde, read)
                if wanted.takes(found):
                    yield found
                if wanted.is_full:
                    return

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield checkpoints, newest first, that meet the filter on metadata."""
        wanted, threads = Wanted(config, filter, before, limit), self.threads_here
        for thread in await threads.asked_for(*wanted.threads):
            if wanted.is_full:
                return
            async for read in threads.newest(thread, **wanted.asked):
                found = objects.tuple_of(self.serde, read)
                if wanted.takes(found):
                    yield found
                if wanted.is_full:
                    return

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint as a version of its thread's session.

        Raises: Conflict if another checkpoint was stored since the run read the one it
        builds on.
        """
        saved = self._saved(config, checkpoint, metadata)
        head = self.threads.save(thread_in(config), saved)
        return objects.config_of(thread_in(config), checkpoint["id"], head)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint; see `put`."""
        saved = self._saved(config, checkpoint, metadata)
        head = await self.threads_here.save(thread_in(config), saved)
        return objects.config_of(thread_in(config), checkpoint["id"], head)

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep what a task wrote, beside the checkpoint; ask what it asks people."""
        self.threads.write(
            thread_in(config),
            **objects.written(self.serde, config, writes, task_id, task_path),
        )
        if self._approvals:
            self.threads.ask(*objects.asked(config, writes), self._approval_seconds)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep what a task wrote, beside the checkpoint; ask what it asks people."""
        await self.threads_here.write(
            thread_in(config),
            **objects.written(self.serde, config, writes, task_id, task_path),
        )
        if self._approvals:
            asked = objects.asked(config, writes)
            await self.threads_here.ask(*asked, self._approval_seconds)

    def delete_thread(self, thread_id: str) -> None:
        """Hide a thread's checkpoints; their bytes leave by retention alone."""
        self.threads.hide_all(str(thread_id))

    async def adelete_thread(self, thread_id: str) -> None:
        """Hide a thread's checkpoints; their bytes leave by retention alone."""
        await self.threads_here.hide_all(str(thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Hide the checkpoints of these runs, in whichever thread."""
        self.threads.hide_runs(objects.runs_of(run_ids))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Hide the checkpoints of these runs, in whichever thread."""
        await self.threads_here.hide_runs(objects.runs_of(run_ids))

    def prune(
        self, thread_ids: Sequence[str], *, strategy: str = "keep_latest"
    ) -> None:
        """Hide all checkpoints, or all but the newest of each namespace."""
        hide = objects.pruning(
            strategy, self.threads.hide_but_latest, self.threads.hide_all
        )
        for thread_id in objects.threads_of(thread_ids):
            hide(thread_id)

    async def aprune(
        self, thread_ids: Sequence[str], *, strategy: str = "keep_latest"
    ) -> None:
        """Hide all checkpoints, or all but the newest of each namespace."""
        here = self.threads_here
        hide = objects.pruning(strategy, here.hide_but_latest, here.hide_all)
        for thread_id in objects.threads_of(thread_ids):
            await hide(thread_id)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints and writes into another thread, all namespaces."""
        self.threads.copy(str(source_thread_id), str(target_thread_id))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints and writes into another thread, all namespaces."""
        await self.threads_here.copy(str(source_thread_id), str(target_thread_id))

    def answers(self, thread_id: str, interrupts: Sequence[Interrupt[Any]]) -> Answers:
        """Return what people decided of these interrupts, and what waits."""
        return self.threads.answers(thread_id, interrupts, self._approval_seconds)

    async def aanswers(
        self, thread_id: str, interrupts: Sequence[Interrupt[Any]]
    ) -> Answers:
        """Return what people decided of these interrupts, and what waits."""
        here = self.threads_here
        return await here.answers(thread_id, interrupts, self._approval_seconds)

    def _saved(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
    ) -> objects.Saved:
        saved = objects.saved_of(
            self.serde, config, checkpoint, metadata, readable=self.readable
        )
        if self.schema is None:
            return saved
        return replace(saved, schema_version=self.schema.version)
