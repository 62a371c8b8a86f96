"""The connections of a checkpointer: one for all threads, one for each event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any

from stepback._async.client import AsyncStepback
from stepback._async.closing import AsyncClosing
from stepback._async.threads import AsyncThreads
from stepback._sync.client import Stepback
from stepback._sync.closing import Closing
from stepback._sync.threads import Threads
from stepback.langgraph.kept import Schema
from stepback.langgraph.known import Known


class Connections(Closing, AsyncClosing):
    """What is learnt over one of them is known to all."""

    def __init__(
        self, agent_id: str, *, schema: Schema | None = None, **options: Any
    ) -> None:
        self.agent_id = agent_id
        self.schema = schema
        self._known = Known()
        self._options = options
        self.threads = Threads(Stepback(**options), self._known, agent_id, schema)
        # Connections of an event loop serve that loop alone, and end with it.
        self._by_loop: dict[asyncio.AbstractEventLoop, _Here] = {}
        self._lock = threading.Lock()

    @property
    def threads_here(self) -> AsyncThreads:
        """What serves this event loop."""
        loop = asyncio.get_running_loop()
        with self._lock:
            for over in [one for one in self._by_loop if one.is_closed()]:
                del self._by_loop[over]
            if loop not in self._by_loop:
                client = AsyncStepback(**self._options)
                threads = AsyncThreads(client, self._known, self.agent_id, self.schema)
                self._by_loop[loop] = _Here(threads)
            return self._by_loop[loop].threads

    def close(self) -> None:
        """Let go of the connections of the synchronous methods."""
        self.threads.client.close()

    async def aclose(self) -> None:
        """Let go of all connections, those of this event loop among them."""
        with self._lock:
            here = self._by_loop.pop(asyncio.get_running_loop(), None)
        if here is not None:
            await here.end.aclose()
        self.close()


class _Here:
    """What serves one event loop, until it or the checkpointer is closed."""

    def __init__(self, threads: AsyncThreads) -> None:
        self.threads = threads
        self.end = _closing(threads.client)
        # Begun, it is of this event loop: `asyncio.run` ends what was begun in its own.
        with suppress(StopIteration):
            self.end.__anext__().send(None)


async def _closing(client: AsyncStepback) -> AsyncGenerator[None]:
    try:
        yield
    finally:
        await client.aclose()
