"""What the MCP tools have stored they never say to have failed."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx

from stepback import AsyncStepback, Stepback
from stepback.mcp.tools import Tools
from tests.live import Server

STORING = ("state", "rollback", "fork", "adopt")
AWAY = {"error": {"code": "service_unavailable", "message": "Retry.", "param": None}}


class ReadsFailAfterwards(httpx.AsyncHTTPTransport):
    """A network on which no read is answered once something was stored."""

    has_stored = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET" and self.has_stored:
            return httpx.Response(503, json=AWAY)
        answer = await super().handle_async_request(request)
        is_write = request.method != "GET" and answer.is_success
        if is_write and request.url.path.endswith(STORING):
            self.has_stored = True
        return answer


def test_what_is_stored_is_said_to_be_also_where_it_cannot_be_read(
    live: Server, secret: str
) -> None:
    async def on(act: Any) -> dict[str, Any]:
        http = httpx.AsyncClient(base_url=live.url, transport=ReadsFailAfterwards())
        async with AsyncStepback(secret, http_client=http, retries=0) as client:
            found: dict[str, Any] = await act(Tools(client, "stdio"))
            return found

    def done(act: Any) -> dict[str, Any]:
        return asyncio.run(on(act))

    saved = done(lambda tools: tools.save("outage", '{"n": 1}'))
    name = saved["checkpoint_id"]
    signed = asyncio.run(_handed_off(live, secret, name))
    answers = [
        saved,
        done(lambda tools: tools.save("outage", '{"n": 2}')),
        done(lambda tools: tools.rollback("outage", name)),
        done(lambda tools: tools.fork("outage", name, "outage-fork")),
        done(lambda tools: tools.adopt(json.dumps(signed), "outage-adopted")),
    ]

    assert [one["blob_id"] for one in answers] == [None] * 5
    assert all(one["note"].startswith("It is stored") for one in answers)
    # Each was done once, and none has to be done again.
    with Stepback(secret, live.url) as sb:
        (session,) = sb.sessions.list(external_id="outage").data
        head = sb.sessions.get_state(session.id)
    assert (head.version, head.state) == (3, {"n": 1})


async def _handed_off(live: Server, secret: str, name: str) -> dict[str, Any]:
    async with AsyncStepback(secret, live.url) as client:
        found: dict[str, Any] = await Tools(client, "stdio").hand_off(
            "outage", name, ""
        )
        return found
