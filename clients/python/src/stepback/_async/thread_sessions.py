"""Which session is behind a namespace of a thread, found or begun."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

from stepback._async.client import AsyncStepback
from stepback.errors import ExternalIdTaken, NotFound
from stepback.langgraph.kept import Schema
from stepback.langgraph.known import Known, Thread
from stepback.langgraph.names import about, external_id, thread_of

PAGE = 100


class AsyncThreadSessions:
    """One session for each namespace of a thread; what is learnt is shared."""

    def __init__(
        self,
        client: AsyncStepback,
        known: Known,
        agent_id: str,
        schema: Schema | None = None,
    ) -> None:
        self.client = client
        self.schema = schema
        self._known = known
        self._agent_id = agent_id

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
        elif await self._is_session(thread):
            session_id = thread[0]
        else:
            return None
        self._known.keep_session(thread, session_id)
        return session_id

    async def _is_session(self, thread: Thread) -> bool:
        """Say whether a thread is named by a session's id; others may look like one."""
        thread_id, namespace = thread
        if namespace or not thread_id.startswith("sess_"):
            return False
        try:
            await self.client.sessions.get(thread_id)
        except NotFound:
            return False
        return True

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
                schema_version=self.schema.version if self.schema else None,
            )
            session_id = made.id
        except ExternalIdTaken as taken:
            # Another worker began it at the same moment.
            if taken.session_id is None:
                raise
            session_id = taken.session_id
        self._known.keep_session(thread, session_id)
        return session_id
