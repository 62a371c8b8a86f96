"""The tools, as an MCP server of the official SDK."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import MCPServer

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


def made(url: str | None, key: str | None, transport: str) -> MCPServer[Any]:
    """Return the server with its tools."""
    server: MCPServer[Any] = MCPServer(
        descriptions.NAME, instructions=descriptions.INSTRUCTIONS
    )
    callers = Callers(url, key, transport)
    for add in ADDED:
        add(server, callers)
    return server
