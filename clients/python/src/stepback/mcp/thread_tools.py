"""The tools of threads: checkpoints, passing on, looking."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import MCPServer

from stepback.mcp.calling import Call, Callers, reads, told, writes
from stepback.mcp.tools import Tools


def add_checkpoints(server: MCPServer[Any], callers: Callers) -> None:
    @writes(server, "checkpoint_save")
    async def checkpoint_save(thread_id: str, state_json: str, ctx: Call) -> str:
        return await told(
            callers, ctx, "checkpoint_save", lambda t: t.save(thread_id, state_json)
        )

    @reads(server, "checkpoint_load")
    async def checkpoint_load(
        thread_id: str, ctx: Call, checkpoint_id: str | None = None
    ) -> str:
        return await told(
            callers, ctx, "checkpoint_load", lambda t: t.load(thread_id, checkpoint_id)
        )

    @reads(server, "checkpoint_resume")
    async def checkpoint_resume(thread_id: str, ctx: Call) -> str:
        return await told(
            callers, ctx, "checkpoint_resume", lambda t: t.load(thread_id, None)
        )

    @reads(server, "checkpoint_list")
    async def checkpoint_list(
        thread_id: str, ctx: Call, before: str | None = None
    ) -> str:
        return await told(
            callers,
            ctx,
            "checkpoint_list",
            lambda t: t.list_checkpoints(thread_id, before),
        )

    @reads(server, "checkpoint_diff")
    async def checkpoint_diff(thread_id: str, id_a: str, id_b: str, ctx: Call) -> str:
        return await told(
            callers, ctx, "checkpoint_diff", lambda t: t.diff(thread_id, id_a, id_b)
        )

    @reads(server, "checkpoint_search")
    async def checkpoint_search(query: str, ctx: Call) -> str:
        return await told(callers, ctx, "checkpoint_search", lambda t: t.find(query))

    @reads(server, "verify_trail")
    async def verify_trail(thread_id: str, ctx: Call) -> str:
        return await told(callers, ctx, "verify_trail", lambda t: t.verify(thread_id))


def add_passing_on(server: MCPServer[Any], callers: Callers) -> None:
    @writes(server, "checkpoint_fork")
    async def checkpoint_fork(
        source_thread_id: str, source_checkpoint_id: str, new_thread_id: str, ctx: Call
    ) -> str:
        return await told(
            callers,
            ctx,
            "checkpoint_fork",
            lambda t: t.fork(source_thread_id, source_checkpoint_id, new_thread_id),
        )

    @writes(server, "checkpoint_rollback")
    async def checkpoint_rollback(thread_id: str, checkpoint_id: str, ctx: Call) -> str:
        return await told(
            callers,
            ctx,
            "checkpoint_rollback",
            lambda t: t.rollback(thread_id, checkpoint_id),
        )

    @writes(server, "handoff_checkpoint")
    async def handoff_checkpoint(
        thread_id: str, checkpoint_id: str, ctx: Call, to_agent: str = ""
    ) -> str:
        return await told(
            callers,
            ctx,
            "handoff_checkpoint",
            lambda t: t.hand_off(thread_id, checkpoint_id, to_agent),
        )

    @writes(server, "adopt_checkpoint")
    async def adopt_checkpoint(handoff_json: str, new_thread_id: str, ctx: Call) -> str:
        return await told(
            callers,
            ctx,
            "adopt_checkpoint",
            lambda t: t.adopt(handoff_json, new_thread_id),
        )


def add_looking(server: MCPServer[Any], callers: Callers) -> None:
    async def info(tools: Tools) -> dict[str, Any]:
        return tools.info()

    @reads(server, "tuskpoint_info")
    async def tuskpoint_info(ctx: Call) -> str:
        return await told(callers, ctx, "tuskpoint_info", info)

    @reads(server, "stepback_info")
    async def stepback_info(ctx: Call) -> str:
        return await told(callers, ctx, "stepback_info", info)

    @reads(server, "blame")
    async def blame(
        thread_id: str, pointer: str, ctx: Call, limit: int = 10, after: str = ""
    ) -> str:
        return await told(
            callers, ctx, "blame", lambda t: t.blame(thread_id, pointer, limit, after)
        )

    @reads(server, "bisect")
    async def bisect(thread_id: str, check: str, ctx: Call, limit: int = 20) -> str:
        return await told(
            callers, ctx, "bisect", lambda t: t.bisect(thread_id, check, limit)
        )

    @reads(server, "merge_preview")
    async def merge_preview(
        thread_id: str,
        verb: str,
        ctx: Call,
        fork_thread_id: str = "",
        first: int = 0,
        last: int = 0,
    ) -> str:
        return await told(
            callers,
            ctx,
            "merge_preview",
            lambda t: t.merge_preview(thread_id, verb, fork_thread_id, first, last),
        )


def add_searching(server: MCPServer[Any], callers: Callers) -> None:
    @reads(server, "incident")
    async def incident(ctx: Call, incident_id: str = "") -> str:
        return await told(callers, ctx, "incident", lambda t: t.incident(incident_id))

    @reads(server, "timeline")
    async def timeline(thread_id: str, ctx: Call, limit: int = 20) -> str:
        return await told(
            callers, ctx, "timeline", lambda t: t.timeline(thread_id, limit)
        )

    @reads(server, "search")
    async def search(
        query: str, ctx: Call, kind: str = "sessions", limit: int = 10
    ) -> str:
        return await told(
            callers, ctx, "search", lambda t: t.search(query, kind, limit)
        )
