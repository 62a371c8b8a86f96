"""The connections of a checkpointer: one for all threads, one for each event loop."""

from __future__ import annotations

import asyncio
import threading
from typing import Any
from weakref import WeakKeyDictionary

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
        # Connections of an event loop serve that loop alone.
        self._by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncThreads]
        self._by_loop = WeakKeyDictionary()
        self._lock = threading.Lock()

    @property
    def threads_here(self) -> AsyncThreads:
        """What serves this event loop."""
        loop = asyncio.get_running_loop()
        with self._lock:
            if loop not in self._by_loop:
                client = AsyncStepback(**self._options)
                made = AsyncThreads(client, self._known, self.agent_id, self.schema)
                self._by_loop[loop] = made
            return self._by_loop[loop]

    def close(self) -> None:
        """Let go of the connections of the synchronous methods."""
        self.threads.client.close()

    async def aclose(self) -> None:
        """Let go of all connections, those of this event loop among them."""
        with self._lock:
            here = self._by_loop.pop(asyncio.get_running_loop(), None)
        if here is not None:
            await here.client.aclose()
        self.close()
