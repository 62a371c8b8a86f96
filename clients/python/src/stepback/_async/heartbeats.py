"""Heartbeats: who is expected to write, and is told of when nothing comes."""

from __future__ import annotations

from stepback import answers
from stepback._async.resource import AsyncResource
from stepback.calls import given


class AsyncHeartbeats(AsyncResource):
    """What is expected of sessions, and of an agent's sessions from now on."""

    async def expect(
        self, session_id: str, every: int, *, idempotency_key: str | None = None
    ) -> answers.Heartbeat:
        """Expect the session to write every so many seconds."""
        segments, read = ("sessions", session_id, "heartbeat"), answers.Heartbeat.of
        body = given(every=every)
        return await self._send("PUT", segments, body, read, idempotency_key)

    async def get(self, session_id: str) -> answers.Heartbeat:
        """Read what is expected of the session. Raises: HeartbeatNotFound."""
        segments = ("sessions", session_id, "heartbeat")
        return await self._ask(answers.Heartbeat.of, segments)

    async def stop(
        self, session_id: str, *, idempotency_key: str | None = None
    ) -> None:
        """Expect nothing of the session any more. Raises: HeartbeatNotFound."""
        await self._remove(("sessions", session_id, "heartbeat"), idempotency_key)

    async def expect_of_agent(
        self, agent: str, every: int, *, idempotency_key: str | None = None
    ) -> answers.AgentHeartbeat:
        """Have the agent's sessions begin with one; for administrators' keys."""
        segments, read = ("agents", agent, "heartbeat"), answers.AgentHeartbeat.of
        body = given(every=every)
        return await self._send("PUT", segments, body, read, idempotency_key)

    async def get_of_agent(self, agent: str) -> answers.AgentHeartbeat:
        """Read what the agent's sessions begin with. Raises: HeartbeatNotFound."""
        segments = ("agents", agent, "heartbeat")
        return await self._ask(answers.AgentHeartbeat.of, segments)

    async def stop_of_agent(
        self, agent: str, *, idempotency_key: str | None = None
    ) -> None:
        """Have new sessions begin without one. Raises: HeartbeatNotFound."""
        await self._remove(("agents", agent, "heartbeat"), idempotency_key)
