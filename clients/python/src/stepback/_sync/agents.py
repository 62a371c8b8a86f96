# Written by make_sync.py from _async/agents.py: do not edit.
"""Agents: registered, found, described, suspended."""

from __future__ import annotations

from typing import Any, Unpack

from stepback import answers
from stepback._sync.resource import Resource
from stepback.answers import page_of
from stepback.calls import given
from stepback.stories import Described, Repeatable


class Agents(Resource):
    """Agents, by our id or by your name for them."""

    def create(
        self,
        name: str | None = None,
        *,
        external_id: str | None = None,
        **said: Unpack[Described],
    ) -> answers.Agent:
        """Register an agent; one is also registered by its first session."""
        body = given(name=name, external_id=external_id, **said)
        return self._act("POST", ("agents",), body)

    def get(self, agent: str) -> answers.Agent:
        """Read an agent."""
        return self._ask(answers.Agent.of, ("agents", agent))

    def update(
        self, agent: str, *, name: str | None = None, **said: Unpack[Described]
    ) -> answers.Agent:
        """Set what is said; metadata is merged key by key."""
        body = given(name=name, **said)
        return self._act("PATCH", ("agents", agent), body)

    def suspend(self, agent: str, **once: Unpack[Repeatable]) -> answers.Agent:
        """Refuse the agent's writes (`AgentSuspended`)."""
        key = once.get("idempotency_key")
        return self._act("POST", ("agents", agent, "suspend"), None, key)

    def activate(self, agent: str, **once: Unpack[Repeatable]) -> answers.Agent:
        """Let the agent write again."""
        key = once.get("idempotency_key")
        return self._act("POST", ("agents", agent, "activate"), None, key)

    def list(
        self,
        *,
        status: str | None = None,
        owner: str | None = None,
        team: str | None = None,
        limit: int = 50,
        starting_after: str | None = None,
    ) -> answers.Page[answers.Agent]:
        """List agents, newest first."""
        return self._ask(
            page_of(answers.Agent.of),
            ("agents",),
            status=status,
            owner=owner,
            team=team,
            limit=limit,
            starting_after=starting_after,
        )

    def _act(
        self,
        method: str,
        segments: tuple[str, ...],
        body: dict[str, Any] | None,
        key: str | None = None,
    ) -> answers.Agent:
        return self._send(method, segments, body, answers.Agent.of, key)
