"""The tools of agents: their data, and what they remember."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import MCPServer

from stepback.mcp.calling import Call, Callers, reads, told, writes


def add_data(server: MCPServer[Any], callers: Callers) -> None:
    @reads(server, "data_read")
    async def data_read(agent: str, key: str, ctx: Call) -> str:
        return await told(callers, ctx, "data_read", lambda t: t.read_data(agent, key))

    @writes(server, "data_write")
    async def data_write(
        agent: str,
        key: str,
        value: str,
        ctx: Call,
        reason: str = "",
        expected_version: int | None = None,
    ) -> str:
        return await told(
            callers,
            ctx,
            "data_write",
            lambda t: t.write_data(agent, key, value, reason, expected_version),
        )

    @writes(server, "agent_checkpoint_create")
    async def agent_checkpoint_create(
        agent: str, label: str, ctx: Call, description: str = ""
    ) -> str:
        return await told(
            callers,
            ctx,
            "agent_checkpoint_create",
            lambda t: t.create_checkpoint(agent, label, description),
        )

    @writes(server, "agent_checkpoint_restore")
    async def agent_checkpoint_restore(
        agent: str,
        checkpoint_id: str,
        ctx: Call,
        confirm: bool = False,
        expected_version: int | None = None,
    ) -> str:
        return await told(
            callers,
            ctx,
            "agent_checkpoint_restore",
            lambda t: t.restore_checkpoint(
                agent, checkpoint_id, confirm, expected_version
            ),
        )


def add_memories(server: MCPServer[Any], callers: Callers) -> None:
    @writes(server, "remember")
    async def remember(
        content: str,
        ctx: Call,
        type: str = "",
        session_id: str = "",
        user_id: str = "",
        agent: str = "",
        scope: str = "",
    ) -> str:
        place = {"session_id": session_id, "user_id": user_id, "agent": agent}
        return await told(
            callers,
            ctx,
            "remember",
            lambda t: t.remember(content, type, place | {"scope": scope}),
        )

    @reads(server, "recall")
    async def recall(
        query: str,
        ctx: Call,
        session_id: str = "",
        user_id: str = "",
        agent: str = "",
        limit: int = 5,
    ) -> str:
        place = {"session_id": session_id, "user_id": user_id, "agent": agent}
        return await told(
            callers, ctx, "recall", lambda t: t.recall(query, limit, place)
        )
