"""Agents: registered, found, described, suspended."""

from __future__ import annotations

from typing import Any, Unpack

from stepback import answers
from stepback._async.resource import AsyncResource
from stepback.answers import page_of
from stepback.calls import given
from stepback.stories import Described, Repeatable


class AsyncAgents(AsyncResource):
    """Agents, by our id or by your name for them."""

    async def create(
        self,
        name: str | None = None,
        *,
        external_id: str | None = None,
        **said: Unpack[Described],
    ) -> answers.Agent:
        """Register an agent; one is also registered by its first session."""
        body = given(name=name, external_id=external_id, **said)
        return await self._act("POST", ("agents",), body)

    async def get(self, agent: str) -> answers.Agent:
        """Read an agent."""
        return await self._ask(answers.Agent.of, ("agents", agent))

    async def update(
        self, agent: str, *, name: str | None = None, **said: Unpack[Described]
    ) -> answers.Agent:
        """Set what is said; metadata is merged key by key."""
        body = given(name=name, **said)
        return await self._act("PATCH", ("agents", agent), body)

    async def suspend(self, agent: str, **once: Unpack[Repeatable]) -> answers.Agent:
        """Refuse the agent's writes (`AgentSuspended`)."""
        key = once.get("idempotency_key")
        return await self._act("POST", ("agents", agent, "suspend"), None, key)

    async def activate(self, agent: str, **once: Unpack[Repeatable]) -> answers.Agent:
        """Let the agent write again."""
        key = once.get("idempotency_key")
        return await self._act("POST", ("agents", agent, "activate"), None, key)

    async def list(
        self,
        *,
        status: str | None = None,
        owner: str | None = None,
        team: str | None = None,
        limit: int = 50,
        starting_after: str | None = None,
    ) -> answers.Page[answers.Agent]:
        """List agents, newest first."""
        return await self._ask(
            page_of(answers.Agent.of),
            ("agents",),
            status=status,
            owner=owner,
            team=team,
            limit=limit,
            starting_after=starting_after,
        )

    async def _act(
        self,
        method: str,
        segments: tuple[str, ...],
        body: dict[str, Any] | None,
        key: str | None = None,
    ) -> answers.Agent:
        return await self._send(method, segments, body, answers.Agent.of, key)
