"""The tools of acting safely: effects, asking people, plans. No tool decides."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import MCPServer

from stepback.mcp.calling import Call, Callers, reads, told, writes


def add_approvals(server: MCPServer[Any], callers: Callers) -> None:
    @writes(server, "request_approval")
    async def request_approval(
        thread_id: str,
        tool: str,
        arguments: str,
        ctx: Call,
        reason: str = "",
        key: str = "",
    ) -> str:
        return await told(
            callers,
            ctx,
            "request_approval",
            lambda t: t.request_approval(thread_id, tool, arguments, reason, key),
        )

    @reads(server, "approvals")
    async def approvals(
        ctx: Call, approval_id: str = "", status: str = "pending", limit: int = 20
    ) -> str:
        return await told(
            callers, ctx, "approvals", lambda t: t.approvals(approval_id, status, limit)
        )

    @writes(server, "propose_rollback")
    async def propose_rollback(
        thread_id: str, checkpoint_id: str, ctx: Call, reason: str = "", key: str = ""
    ) -> str:
        return await told(
            callers,
            ctx,
            "propose_rollback",
            lambda t: t.propose_rollback(thread_id, checkpoint_id, reason, key),
        )


def add_effects(server: MCPServer[Any], callers: Callers) -> None:
    @writes(server, "begin_effect")
    async def begin_effect(
        thread_id: str,
        key: str,
        tool: str,
        ctx: Call,
        arguments: str = "{}",
        effect_class: str = "",
        number: int | None = None,
        takes_provider_key: bool = False,
    ) -> str:
        about = {"effect_class": effect_class, "takes_provider_key": takes_provider_key}
        return await told(
            callers,
            ctx,
            "begin_effect",
            lambda t: t.begin_effect(thread_id, key, tool, arguments, number, about),
        )

    @writes(server, "finish_effect")
    async def finish_effect(
        thread_id: str,
        effect_id: str,
        attempt: int,
        ctx: Call,
        status: str = "done",
        result_json: str = "",
        external_id: str = "",
    ) -> str:
        about = {"result_json": result_json, "external_id": external_id}
        return await told(
            callers,
            ctx,
            "finish_effect",
            lambda t: t.finish_effect(thread_id, effect_id, attempt, status, about),
        )

    @reads(server, "effects")
    async def effects(
        thread_id: str,
        ctx: Call,
        status: str = "",
        effect_class: str = "",
        limit: int = 20,
    ) -> str:
        return await told(
            callers,
            ctx,
            "effects",
            lambda t: t.effects(thread_id, status, effect_class, limit),
        )


def add_work(server: MCPServer[Any], callers: Callers) -> None:
    @writes(server, "update_task")
    async def update_task(
        thread_id: str, task_id: str, ctx: Call, status: str = "", note: str = ""
    ) -> str:
        return await told(
            callers,
            ctx,
            "update_task",
            lambda t: t.update_task(thread_id, task_id, status, note),
        )

    @writes(server, "check_facts")
    async def check_facts(thread_id: str, values: str, ctx: Call) -> str:
        return await told(
            callers, ctx, "check_facts", lambda t: t.check_facts(thread_id, values)
        )


def add_plans(server: MCPServer[Any], callers: Callers) -> None:
    @writes(server, "propose_plan")
    async def propose_plan(
        kind: str,
        ctx: Call,
        incident_id: str = "",
        q: str = "",
        target: str = "",
        label: str = "",
    ) -> str:
        return await told(
            callers,
            ctx,
            "propose_plan",
            lambda t: t.propose_plan(kind, incident_id, q, target, label),
        )


def add_holding(server: MCPServer[Any], callers: Callers) -> None:
    @reads(server, "guards")
    async def guards(
        ctx: Call, agent: str = "", guard_id: str = "", trial_id: str = ""
    ) -> str:
        return await told(
            callers, ctx, "guards", lambda t: t.guards(agent, guard_id, trial_id)
        )

    @reads(server, "guard_verdicts")
    async def guard_verdicts(
        ctx: Call,
        thread_id: str = "",
        guard_id: str = "",
        limit: int = 20,
        after: str = "",
    ) -> str:
        return await told(
            callers,
            ctx,
            "guard_verdicts",
            lambda t: t.guard_verdicts(thread_id, guard_id, limit, after),
        )

    @reads(server, "schemas")
    async def schemas(agent: str, ctx: Call) -> str:
        return await told(callers, ctx, "schemas", lambda t: t.schemas(agent))

    @reads(server, "budgets")
    async def budgets(
        ctx: Call, thread_id: str = "", agent: str = "", limit: int = 20
    ) -> str:
        return await told(
            callers, ctx, "budgets", lambda t: t.budgets(thread_id, agent, limit)
        )

    @reads(server, "shared")
    async def shared(ctx: Call, name: str = "", limit: int = 20) -> str:
        return await told(callers, ctx, "shared", lambda t: t.shared(name, limit))
