"""A call of a tool: whose it is, and its result as one JSON text.

What fails is told in the result, never as an error of the protocol. The caller's API
key decides what a tool may do.
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


async def told(callers: Callers, call: Call, name: str, act: Act) -> str:
    """Return the result as JSON; a failure is one, too."""
    try:
        async with callers.tools(call) as tools:
            result = await act(tools)
    except Refused as refused:
        result = {"error": str(refused), **refused.facts}
    except (StepbackError, LookupError, ValueError, RecursionError) as error:
        result = {"error": f"{name} failed: {error}"}
    if name == "checkpoint_search" and "error" in result:
        why = f"semantic search unavailable: {result['error']}"
        result = {"error": why, "results": []}
    return json.dumps(result, ensure_ascii=False)


def reads(server: MCPServer[Any], name: str) -> Callable[[Tool], Tool]:
    return server.tool(
        name,
        description=descriptions.READING[name],
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
    )


def writes(server: MCPServer[Any], name: str) -> Callable[[Tool], Tool]:
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


def _key_of(request: Any) -> str | None:
    """Return the key that a request over HTTP brings."""
    if request is None:
        return None
    key = request.headers.get("x-api-key")
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if key:
        return str(key)
    return token.strip() if scheme.lower() == "bearer" and token else None
