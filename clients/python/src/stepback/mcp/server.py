"""The tools, as an MCP server of the official SDK."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import Tool

from stepback.mcp import descriptions
from stepback.mcp.acting.tools import (
    add_approvals,
    add_effects,
    add_holding,
    add_plans,
    add_work,
)
from stepback.mcp.agents.tools import add_data, add_memories
from stepback.mcp.calling import Callers
from stepback.mcp.thread_tools import (
    add_checkpoints,
    add_looking,
    add_passing_on,
    add_searching,
)

ADDED = (
    add_checkpoints,
    add_passing_on,
    add_looking,
    add_searching,
    add_data,
    add_memories,
    add_approvals,
    add_effects,
    add_work,
    add_plans,
    add_holding,
)


class StrictServer(MCPServer[Any]):
    """A server whose tools drop nothing that they are given.

    A misspelt `user_id` would make a user's memory the project's.
    """

    # What each tool takes, once one was called.
    _taken: dict[str, dict[str, Any]] | None = None

    async def list_tools(self) -> list[Tool]:
        """Return the tools, each with a schema that allows nothing else."""
        tools = await super().list_tools()
        for one in tools:
            one.input_schema = {**one.input_schema, "additionalProperties": False}
        return tools

    async def _properties(self) -> dict[str, dict[str, Any]]:
        """Return what each tool takes, looked up once: none is added to one that runs.

        Of tools that change there would be no telling: `made` adds all of them.
        """
        if self._taken is None:
            tools = await super().list_tools()
            self._taken = {one.name: one.input_schema["properties"] for one in tools}
        return self._taken

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Any = None
    ) -> Any:
        """Call a tool.

        Raises: ToolError, also for an argument that it does not take.
        """
        taken = (await self._properties()).get(name, {})
        # Hosts may send something to a tool without parameters.
        if taken and (others := sorted(set(arguments) - set(taken))):
            known = ", ".join(taken)
            raise ToolError(f"{name} takes no argument {others[0]!r}, but {known}.")
        return await super().call_tool(name, arguments, context)


def made(url: str | None, key: str | None, transport: str) -> MCPServer[Any]:
    """Return the server with its tools."""
    server = StrictServer(descriptions.NAME, instructions=descriptions.INSTRUCTIONS)
    callers = Callers(url, key, transport)
    for add in ADDED:
        add(server, callers)
    return server
