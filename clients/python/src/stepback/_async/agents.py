"""Agents: registered, found, described, suspended, deleted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from stepback import answers, calls
from stepback._async.agent_checkpoints import AsyncAgentCheckpoints
from stepback._async.resource import AsyncResource
from stepback._async.safe_operations import AsyncSafeOperation
from stepback.answers import page_of
from stepback.calls import given
from stepback.checking import Check
from stepback.stories import Described, Json, Mapped, Repeatable, Restorable


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

    async def advice(self, agent: str) -> answers.CheckpointAdvice:
        """Tell how it makes its versions, what else would cost, and what is wiser."""
        return await self._ask(answers.CheckpointAdvice.of, ("agents", agent, "advice"))

    async def results(
        self,
        agent: str,
        *,
        tool: str | None = None,
        ttl: int | None = None,
        limit: int = 20,
        starting_after: str | None = None,
    ) -> answers.Page[answers.Result]:
        """List the results that its sessions offer each other, newest first."""
        return await self._ask(
            page_of(answers.Result.of),
            ("agents", agent, "results"),
            tool=tool,
            ttl=ttl,
            limit=limit,
            starting_after=starting_after,
        )

    async def forget_results(
        self,
        agent: str,
        reason: str,
        *,
        tool: str | None = None,
        arguments: Mapping[str, Json] | None = None,
        everything: bool | None = None,
        idempotency_key: str | None = None,
    ) -> answers.ResultsForgotten:
        """Have reads of all its sessions run again: of a tool, one call, everything."""
        return await self._send(
            "POST",
            ("agents", agent, "results", "forget"),
            given(reason=reason, tool=tool, arguments=arguments, **{"all": everything}),
            answers.ResultsForgotten.of,
            idempotency_key,
        )

    async def suspend(self, agent: str, **once: Unpack[Repeatable]) -> answers.Agent:
        """Refuse the agent's writes (`AgentSuspended`)."""
        key = calls.key_in(once)
        return await self._act("POST", ("agents", agent, "suspend"), None, key)

    async def activate(self, agent: str, **once: Unpack[Repeatable]) -> answers.Agent:
        """Let the agent write again."""
        key = calls.key_in(once)
        return await self._act("POST", ("agents", agent, "activate"), None, key)

    async def delete(self, agent: str, **once: Unpack[Repeatable]) -> answers.Agent:
        """Refuse its writes (`AgentDeleted`) and leave it out of lists.

        Needs an administrator's key; so does `activate`, which brings it back. Nothing
        of it goes away.
        """
        key = calls.key_in(once)
        return await self._act("DELETE", ("agents", agent), None, key)

    async def list(
        self,
        *,
        status: str | None = None,
        owner: str | None = None,
        team: str | None = None,
        tag: str | None = None,
        description: str | None = None,
        limit: int = 50,
        starting_after: str | None = None,
    ) -> answers.Page[answers.Agent]:
        """List agents, newest first; deleted ones where `status` asks for them."""
        return await self._ask(
            page_of(answers.Agent.of),
            ("agents",),
            status=status,
            owner=owner,
            team=team,
            tag=tag,
            description=description,
            limit=limit,
            starting_after=starting_after,
        )

    async def mapping(self, agent: str) -> answers.AgentMapping:
        """Read what is mapped of its states. Needs an administrator's key."""
        return await self._ask(answers.AgentMapping.of, ("agents", agent, "mapping"))

    async def set_mapping(
        self, agent: str, **mapped: Unpack[Mapped]
    ) -> answers.AgentMapping:
        """Set all that is mapped: what is left out is mapped no more.

        Writes follow in half a minute, old sessions after that. Needs an
        administrator's key.
        """
        segments, read = ("agents", agent, "mapping"), answers.AgentMapping.of
        return await self._send("PUT", segments, given(**mapped), read)

    def checkpoint(
        self,
        agent: str,
        label: str,
        *,
        verify: Check | None = None,
        description: str | None = None,
        **parts: Unpack[Restorable],
    ) -> AsyncSafeOperation:
        """Return what `with` takes to do something to config and data safely.

        It makes a checkpoint, runs the block and asks `verify(agent)`, which has to
        return something true. Else, and where the block or `verify` raises, it restores
        the agent to the checkpoint: with all that anybody wrote since, which history
        keeps. The error goes on with a note that says so; a check that does not pass
        is `VerificationFailed`. Where it cannot be restored, that is `RestoreFailed`.

        Raises: ValueError where neither config nor data would be restored.
        """
        return AsyncSafeOperation(
            AsyncAgentCheckpoints(self._transport),
            agent,
            label,
            description=description,
            verify=verify,
            parts=parts,
        )

    async def _act(
        self,
        method: str,
        segments: tuple[str, ...],
        body: dict[str, Any] | None,
        key: str | None = None,
    ) -> answers.Agent:
        return await self._send(method, segments, body, answers.Agent.of, key)
