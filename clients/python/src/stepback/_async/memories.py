"""What agents remember: add it, find it, and take it back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from stepback import answers, calls
from stepback._async.resource import AsyncResource
from stepback.answers import page_of
from stepback.calls import Call, given, listed
from stepback.stories import Json, MemoryChanged, Remembered, Repeatable


class AsyncMemories(AsyncResource):
    """Memories of sessions, users, agents and the project."""

    async def add(
        self,
        content: str,
        type: str | None = None,
        session_id: str | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Json] | None = None,
        *,
        idempotency_key: str | None = None,
        **more: Unpack[Remembered],
    ) -> answers.Memory:
        """Remember a text; equal text of the same owner is one memory.

        It is the session's, unless a `scope` says that it is the user's, the agent's
        or the project's. `near` in the answer names what nearly says the same.
        """
        body = given(
            content=content,
            type=type,
            session_id=session_id,
            tags=tags,
            metadata=metadata,
            **more,
        )
        return await self._send(
            "POST", ("memories",), body, answers.Memory.of, idempotency_key
        )

    async def search(
        self,
        query: str,
        session_id: str | None = None,
        types: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        limit: int | None = None,
        threshold: float | None = None,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        scope: str | None = None,
    ) -> answers.MemoryMatches:
        """Find the memories that are nearest to a query, by meaning and by words."""
        body = given(
            query=query,
            session_id=session_id,
            user_id=user_id,
            agent_id=agent_id,
            scope=scope,
            types=types,
            tags=tags,
            limit=limit,
            threshold=threshold,
        )
        return await self._transport.run(
            Call(
                method="POST",
                path=calls.path("memories", "search"),
                read=answers.MemoryMatches.of,
                reads=True,
                body=body,
            )
        )

    async def list(
        self,
        session_id: str | None = None,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        scope: str | None = None,
        types: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        status: str | None = None,
        limit: int = 20,
        starting_after: str | None = None,
    ) -> answers.Page[answers.Memory]:
        """List memories, newest first: believed and proposed, or of a `status`."""
        return await self._ask(
            page_of(answers.Memory.of),
            ("memories",),
            session_id=session_id,
            user_id=user_id,
            agent_id=agent_id,
            scope=scope,
            types=listed(types),
            tags=listed(tags),
            status=status,
            limit=limit,
            starting_after=starting_after,
        )

    async def get(self, memory_id: str) -> answers.Memory:
        """Read one memory."""
        return await self._ask(answers.Memory.of, ("memories", memory_id))

    async def update(
        self,
        memory_id: str,
        content: str | None = None,
        type: str | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Json] | None = None,
        *,
        idempotency_key: str | None = None,
        **changed: Unpack[MemoryChanged],
    ) -> answers.Memory:
        """Change a memory; what is not named stays, and metadata is merged.

        `expected_version` is the memory's version that you saw: another one raises
        `Conflict`.
        """
        body = given(
            content=content, type=type, tags=tags, metadata=metadata, **changed
        )
        segments, read = ("memories", memory_id), answers.Memory.of
        return await self._send("PATCH", segments, body, read, idempotency_key)

    async def replace(
        self,
        memory_id: str,
        content: str | None = None,
        type: str | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Json] | None = None,
        *,
        idempotency_key: str | None = None,
        **changed: Unpack[MemoryChanged],
    ) -> answers.Memory:
        """As `update`, with metadata set whole."""
        body = given(
            content=content, type=type, tags=tags, metadata=metadata, **changed
        )
        segments, read = ("memories", memory_id), answers.Memory.of
        return await self._send("PUT", segments, body, read, idempotency_key)

    async def delete(self, memory_id: str, **once: Unpack[Repeatable]) -> None:
        """Take a memory back; what it said stays in its history."""
        await self._remove(("memories", memory_id), calls.key_in(once))

    async def versions(
        self, memory_id: str, *, limit: int = 20, cursor: str | None = None
    ) -> answers.Page[answers.MemoryVersion]:
        """List what was done to a memory, deleted or not, newest first."""
        return await self._ask(
            page_of(answers.MemoryVersion.of),
            ("memories", memory_id, "versions"),
            limit=limit,
            cursor=cursor,
        )

    async def resolve(
        self,
        memory_id: str,
        decision: str,
        *,
        other_id: str | None = None,
        reasoning: str | None = None,
        expected_version: int | None = None,
        expected_memory_version: int | None = None,
        expected_other_version: int | None = None,
        idempotency_key: str | None = None,
    ) -> answers.MemoriesResolved:
        """Decide: keep (the other), replace (it), both; accept, drop; promote.

        To accept a proposal takes an administrator's key, or a person in the console.
        Of a patch that is accepted `expected_version` is the head of its session.

        Raises: Conflict if the memory, or the other one of two, has another version by
        now than is expected.
        """
        body = given(
            memory_id=memory_id,
            decision=decision,
            other_id=other_id,
            reasoning=reasoning,
            expected_version=expected_version,
            expected_memory_version=expected_memory_version,
            expected_other_version=expected_other_version,
        )
        segments, read = ("memories", "resolve"), answers.MemoriesResolved.of
        return await self._send("POST", segments, body, read, idempotency_key)

    async def step_back(
        self,
        to: str | None = None,
        version: int | None = None,
        *,
        session_id: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        scope: str | None = None,
        expected_version: int | None = None,
        reasoning: str | None = None,
        idempotency_key: str | None = None,
    ) -> answers.MemoriesSteppedBack:
        """Have one owner's memories be as they were, at a moment or a version."""
        body = given(
            to=to,
            version=version,
            session_id=session_id,
            user_id=user_id,
            agent_id=agent_id,
            scope=scope,
            expected_version=expected_version,
            reasoning=reasoning,
        )
        return await self._step_back(body, idempotency_key)

    async def forget_session(
        self,
        session_id: str,
        *,
        reasoning: str | None = None,
        idempotency_key: str | None = None,
    ) -> answers.MemoriesSteppedBack:
        """Forget what a session taught, whosever it is; others' word stays.

        At most 1,000 memories at once: call it again while the answer `has_more`.
        """
        body = given(from_session=session_id, reasoning=reasoning)
        return await self._step_back(body, idempotency_key)

    async def preview_step_back(
        self,
        to: str | None = None,
        version: int | None = None,
        *,
        from_session: str | None = None,
        session_id: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        scope: str | None = None,
    ) -> answers.MemoriesSteppedBack:
        """Tell what stepping back, or forgetting a session, would do."""
        body = given(
            to=to,
            version=version,
            from_session=from_session,
            session_id=session_id,
            user_id=user_id,
            agent_id=agent_id,
            scope=scope,
        )
        return await self._transport.run(
            Call(
                method="POST",
                path=calls.path("memories", "rollback"),
                read=answers.MemoriesSteppedBack.of,
                reads=True,
                body={"dry_run": True, **body},
            )
        )

    async def formation(self, agent_id: str) -> answers.Formation:
        """Say whether an agent's turns form memories."""
        return await self._ask(
            answers.Formation.of, ("memories", "formation", agent_id)
        )

    async def set_formation(
        self, agent_id: str, mode: str, **once: Unpack[Repeatable]
    ) -> answers.Formation:
        """Have memories be proposed of an agent's turns, or not (`off`).

        `tags`: what it marks with `<memory>…</memory>` and
        `<state_update>{…}</state_update>`. `llm`: what the server's chat endpoint makes
        of them; a server without one refuses it.
        """
        segments, read = ("memories", "formation", agent_id), answers.Formation.of
        key = calls.key_in(once)
        return await self._send("PUT", segments, {"mode": mode}, read, key)

    async def import_memories(
        self,
        memories: Sequence[Mapping[str, Json]],
        *,
        idempotency_key: str | None = None,
    ) -> answers.MemoriesImported:
        """Import up to 1,000 memories as mem0 exports them; each once, by its id."""
        segments, read = ("memories", "import"), answers.MemoriesImported.of
        body = {"memories": list(memories)}
        return await self._send("POST", segments, body, read, idempotency_key)

    async def _step_back(
        self, body: Mapping[str, Any], key: str | None
    ) -> answers.MemoriesSteppedBack:
        segments, read = ("memories", "rollback"), answers.MemoriesSteppedBack.of
        return await self._send("POST", segments, body, read, key)
