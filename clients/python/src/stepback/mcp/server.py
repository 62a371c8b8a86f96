"""The tools, as an MCP server of the official SDK.

Every result is one JSON text; what fails is told in it, never as an error of the
protocol. The caller's API key decides what a tool may do.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ToolAnnotations

from stepback._async.client import AsyncStepback
from stepback.errors import StepbackError
from stepback.mcp import descriptions
from stepback.mcp.threads import Refused
from stepback.mcp.tools import Tools

Act = Callable[[Tools], Awaitable[dict[str, Any]]]
Tool = TypeVar("Tool", bound=Callable[..., Awaitable[str]])
Call = Context[Any, Any]


class Callers:
    """Clients by the key of who calls: over HTTP each call brings its own."""

    def __init__(self, url: str | None, key: str | None, transport: str) -> None:
        self._url = url
        self._key = key
        self._transport = transport

    @asynccontextmanager
    async def tools(self, call: Call) -> AsyncIterator[Tools]:
        """Raises: Refused where the call has no key."""
        key = self._key
        if self._transport != "stdio":
            key = _key_of(getattr(call.request_context, "request", None))
        if not key:
            raise Refused("Send your API key: X-API-Key, or Authorization: Bearer.")
        async with AsyncStepback(key, self._url) as client:
            yield Tools(client, self._transport)


def made(url: str | None, key: str | None, transport: str) -> MCPServer[Any]:
    """Return the server with its tools."""
    server: MCPServer[Any] = MCPServer(
        descriptions.NAME, instructions=descriptions.INSTRUCTIONS
    )
    callers = Callers(url, key, transport)
    _add_checkpoint_tools(server, callers)
    _add_passing_on(server, callers)
    _add_looking(server, callers)
    _add_agents(server, callers)
    _add_memories(server, callers)
    _add_approvals(server, callers)
    return server


async def _told(callers: Callers, call: Call, name: str, act: Act) -> str:
    """Return the result as JSON; a failure is one, too."""
    try:
        async with callers.tools(call) as tools:
            result = await act(tools)
    except Refused as refused:
        result = {"error": str(refused), **refused.facts}
    except (StepbackError, LookupError, ValueError) as error:
        result = {"error": f"{name} failed: {error}"}
    if name == "checkpoint_search" and "error" in result:
        why = f"semantic search unavailable: {result['error']}"
        result = {"error": why, "results": []}
    return json.dumps(result, ensure_ascii=False)


def _reads(server: MCPServer[Any], name: str) -> Callable[[Tool], Tool]:
    return server.tool(
        name,
        description=descriptions.READING[name],
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
    )


def _writes(server: MCPServer[Any], name: str) -> Callable[[Tool], Tool]:
    return server.tool(
        name,
        description=descriptions.WRITING[name],
        annotations=ToolAnnotations(
            read_only_hint=False,
            # Nothing that a tool does erases anything.
            destructive_hint=False,
            idempotent_hint=False,
            open_world_hint=False,
        ),
    )


def _add_checkpoint_tools(server: MCPServer[Any], callers: Callers) -> None:
    @_writes(server, "checkpoint_save")
    async def checkpoint_save(thread_id: str, state_json: str, ctx: Call) -> str:
        return await _told(
            callers, ctx, "checkpoint_save", lambda t: t.save(thread_id, state_json)
        )

    @_reads(server, "checkpoint_load")
    async def checkpoint_load(
        thread_id: str, ctx: Call, checkpoint_id: str | None = None
    ) -> str:
        return await _told(
            callers, ctx, "checkpoint_load", lambda t: t.load(thread_id, checkpoint_id)
        )

    @_reads(server, "checkpoint_resume")
    async def checkpoint_resume(thread_id: str, ctx: Call) -> str:
        return await _told(
            callers, ctx, "checkpoint_resume", lambda t: t.load(thread_id, None)
        )

    @_reads(server, "checkpoint_list")
    async def checkpoint_list(thread_id: str, ctx: Call) -> str:
        return await _told(
            callers, ctx, "checkpoint_list", lambda t: t.list_checkpoints(thread_id)
        )

    @_reads(server, "checkpoint_diff")
    async def checkpoint_diff(thread_id: str, id_a: str, id_b: str, ctx: Call) -> str:
        return await _told(
            callers, ctx, "checkpoint_diff", lambda t: t.diff(thread_id, id_a, id_b)
        )

    @_reads(server, "checkpoint_search")
    async def checkpoint_search(query: str, ctx: Call) -> str:
        return await _told(callers, ctx, "checkpoint_search", lambda t: t.find(query))

    @_reads(server, "verify_trail")
    async def verify_trail(thread_id: str, ctx: Call) -> str:
        return await _told(callers, ctx, "verify_trail", lambda t: t.verify(thread_id))


def _add_passing_on(server: MCPServer[Any], callers: Callers) -> None:
    @_writes(server, "checkpoint_fork")
    async def checkpoint_fork(
        source_thread_id: str, source_checkpoint_id: str, new_thread_id: str, ctx: Call
    ) -> str:
        return await _told(
            callers,
            ctx,
            "checkpoint_fork",
            lambda t: t.fork(source_thread_id, source_checkpoint_id, new_thread_id),
        )

    @_writes(server, "checkpoint_rollback")
    async def checkpoint_rollback(thread_id: str, checkpoint_id: str, ctx: Call) -> str:
        return await _told(
            callers,
            ctx,
            "checkpoint_rollback",
            lambda t: t.rollback(thread_id, checkpoint_id),
        )

    @_writes(server, "handoff_checkpoint")
    async def handoff_checkpoint(
        thread_id: str, checkpoint_id: str, ctx: Call, to_agent: str = ""
    ) -> str:
        return await _told(
            callers,
            ctx,
            "handoff_checkpoint",
            lambda t: t.hand_off(thread_id, checkpoint_id, to_agent),
        )

    @_writes(server, "adopt_checkpoint")
    async def adopt_checkpoint(handoff_json: str, new_thread_id: str, ctx: Call) -> str:
        return await _told(
            callers,
            ctx,
            "adopt_checkpoint",
            lambda t: t.adopt(handoff_json, new_thread_id),
        )


def _add_looking(server: MCPServer[Any], callers: Callers) -> None:
    async def info(tools: Tools) -> dict[str, Any]:
        return tools.info()

    @_reads(server, "tuskpoint_info")
    async def tuskpoint_info(ctx: Call) -> str:
        return await _told(callers, ctx, "tuskpoint_info", info)

    @_reads(server, "stepback_info")
    async def stepback_info(ctx: Call) -> str:
        return await _told(callers, ctx, "stepback_info", info)

    @_reads(server, "blame")
    async def blame(thread_id: str, pointer: str, ctx: Call, limit: int = 10) -> str:
        return await _told(
            callers, ctx, "blame", lambda t: t.blame(thread_id, pointer, limit)
        )

    @_reads(server, "timeline")
    async def timeline(thread_id: str, ctx: Call, limit: int = 20) -> str:
        return await _told(
            callers, ctx, "timeline", lambda t: t.timeline(thread_id, limit)
        )

    @_reads(server, "search")
    async def search(
        query: str, ctx: Call, kind: str = "sessions", limit: int = 10
    ) -> str:
        return await _told(
            callers, ctx, "search", lambda t: t.search(query, kind, limit)
        )


def _add_agents(server: MCPServer[Any], callers: Callers) -> None:
    @_reads(server, "data_read")
    async def data_read(agent: str, key: str, ctx: Call) -> str:
        return await _told(callers, ctx, "data_read", lambda t: t.read_data(agent, key))

    @_writes(server, "data_write")
    async def data_write(
        agent: str,
        key: str,
        value: str,
        ctx: Call,
        reason: str = "",
        expected_version: int | None = None,
    ) -> str:
        return await _told(
            callers,
            ctx,
            "data_write",
            lambda t: t.write_data(agent, key, value, reason, expected_version),
        )

    @_writes(server, "agent_checkpoint_create")
    async def agent_checkpoint_create(
        agent: str, label: str, ctx: Call, description: str = ""
    ) -> str:
        return await _told(
            callers,
            ctx,
            "agent_checkpoint_create",
            lambda t: t.create_checkpoint(agent, label, description),
        )

    @_writes(server, "agent_checkpoint_restore")
    async def agent_checkpoint_restore(
        agent: str,
        checkpoint_id: str,
        ctx: Call,
        confirm: bool = False,
        expected_version: int | None = None,
    ) -> str:
        return await _told(
            callers,
            ctx,
            "agent_checkpoint_restore",
            lambda t: t.restore_checkpoint(
                agent, checkpoint_id, confirm, expected_version
            ),
        )


def _add_memories(server: MCPServer[Any], callers: Callers) -> None:
    @_writes(server, "remember")
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
        return await _told(
            callers,
            ctx,
            "remember",
            lambda t: t.remember(content, type, place | {"scope": scope}),
        )

    @_reads(server, "recall")
    async def recall(
        query: str,
        ctx: Call,
        session_id: str = "",
        user_id: str = "",
        agent: str = "",
        limit: int = 5,
    ) -> str:
        place = {"session_id": session_id, "user_id": user_id, "agent": agent}
        return await _told(
            callers, ctx, "recall", lambda t: t.recall(query, limit, place)
        )


def _add_approvals(server: MCPServer[Any], callers: Callers) -> None:
    @_writes(server, "request_approval")
    async def request_approval(
        thread_id: str,
        tool: str,
        arguments: str,
        ctx: Call,
        reason: str = "",
        key: str = "",
    ) -> str:
        return await _told(
            callers,
            ctx,
            "request_approval",
            lambda t: t.request_approval(thread_id, tool, arguments, reason, key),
        )

    @_reads(server, "approvals")
    async def approvals(
        ctx: Call, approval_id: str = "", status: str = "pending", limit: int = 20
    ) -> str:
        return await _told(
            callers, ctx, "approvals", lambda t: t.approvals(approval_id, status, limit)
        )


def _key_of(request: Any) -> str | None:
    """Return the key that a request over HTTP brings."""
    if request is None:
        return None
    key = request.headers.get("x-api-key")
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if key:
        return str(key)
    return token.strip() if scheme.lower() == "bearer" and token else None
