# Written by make_sync.py from _async/heartbeats.py: do not edit.
"""Heartbeats: who is expected to write, and is told of when nothing comes."""

from __future__ import annotations

from stepback import answers
from stepback._sync.resource import Resource
from stepback.calls import given


class Heartbeats(Resource):
    """What is expected of sessions, and of an agent's sessions from now on."""

    def expect(
        self, session_id: str, every: int, *, idempotency_key: str | None = None
    ) -> answers.Heartbeat:
        """Expect the session to write every so many seconds."""
        segments, read = ("sessions", session_id, "heartbeat"), answers.Heartbeat.of
        body = given(every=every)
        return self._send("PUT", segments, body, read, idempotency_key)

    def get(self, session_id: str) -> answers.Heartbeat:
        """Read what is expected of the session. Raises: HeartbeatNotFound."""
        segments = ("sessions", session_id, "heartbeat")
        return self._ask(answers.Heartbeat.of, segments)

    def stop(self, session_id: str, *, idempotency_key: str | None = None) -> None:
        """Expect nothing of the session any more. Raises: HeartbeatNotFound."""
        self._remove(("sessions", session_id, "heartbeat"), idempotency_key)

    def expect_of_agent(
        self, agent: str, every: int, *, idempotency_key: str | None = None
    ) -> answers.AgentHeartbeat:
        """Have the agent's sessions begin with one; for administrators' keys."""
        segments, read = ("agents", agent, "heartbeat"), answers.AgentHeartbeat.of
        body = given(every=every)
        return self._send("PUT", segments, body, read, idempotency_key)

    def get_of_agent(self, agent: str) -> answers.AgentHeartbeat:
        """Read what the agent's sessions begin with. Raises: HeartbeatNotFound."""
        segments = ("agents", agent, "heartbeat")
        return self._ask(answers.AgentHeartbeat.of, segments)

    def stop_of_agent(self, agent: str, *, idempotency_key: str | None = None) -> None:
        """Have new sessions begin without one. Raises: HeartbeatNotFound."""
        self._remove(("agents", agent, "heartbeat"), idempotency_key)
