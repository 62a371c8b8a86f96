"""The MCP server's tools for agents' data, driven by the official client."""

from __future__ import annotations

import asyncio

import pytest
from mcp import Client

from stepback import Stepback
from stepback.mcp.server import made
from tests.live import Server
from tests.python_client.test_mcp import Caller


@pytest.fixture
def agent(live: Server, secret: str, agent_id: str) -> str:
    with Stepback(secret, live.url) as sb:
        sb.agents.create(external_id=agent_id)
    return agent_id


def test_values_are_written_and_read_under_the_agents_policies(
    live: Server, secret: str, agent: str
) -> None:
    with Stepback(secret, live.url) as sb:
        sb.config.update(agent, {"policies": {"block_pii": True}})

    async def story() -> None:
        async with Client(made(live.url, secret, "stdio")) as client:
            call = Caller(client)
            missing = await call("data_read", agent=agent, key="seat")
            assert missing == {"error": "key not found: seat", "agent": agent}
            written = await call(
                "data_write", agent=agent, key="seat", value="3C", reason="Named it"
            )
            assert (written["allowed"], written["version"]) == (True, 1)
            read = await call("data_read", agent=agent, key="seat")
            assert (read["agent"], read["value"], read["version"]) == (agent, "3C", 1)
            assert "data" in read["note"]
            stale = await call(
                "data_write", agent=agent, key="seat", value="4C", expected_version=0
            )
            assert stale["error"].startswith("key has changed: seat ")
            blocked = await call(
                "data_write", agent=agent, key="mail", value="jo@example.org"
            )
            assert (blocked["allowed"], blocked["blocked_by"]) == (
                False,
                "policy:block_pii",
            )
            assert "jo@example.org" not in str(blocked)
            nobody = await call("data_read", agent="nobody", key="seat")
            assert nobody["error"].startswith("data_read failed: ")
            outside = await call("data_read", agent=agent, key="../config")
            assert outside["error"].startswith("data_read failed: No data has the key")

    asyncio.run(story())
    with Stepback(secret, live.url) as sb:
        (version,) = sb.data.versions(agent, "seat")
    assert version.reasoning == "Named it"


def test_a_restore_is_a_preview_until_that_was_seen(
    live: Server, secret: str, agent: str
) -> None:
    with Stepback(secret, live.url) as sb:
        sb.data.write(agent, "seat", "3C")

    async def story() -> None:
        async with Client(made(live.url, secret, "stdio")) as client:
            call = Caller(client)
            saved = await call(
                "agent_checkpoint_create", agent=agent, label="pre-upgrade"
            )
            assert (saved["label"], saved["key_count"]) == ("pre-upgrade", 1)
            about = {"agent": agent, "checkpoint_id": saved["checkpoint_id"]}
            await call("data_write", agent=agent, key="seat", value="1A")

            preview = await call("agent_checkpoint_restore", **about)
            assert preview["restored"] is False
            assert preview["data"]["set"] == {"count": 1, "keys": ["seat"]}
            assert "Nothing was restored" in preview["next"]
            blind = await call("agent_checkpoint_restore", **about, confirm=True)
            assert "preview" in blind["error"]
            await call("data_write", agent=agent, key="meal", value="vegan")
            seen = {"confirm": True, "expected_version": preview["expected_version"]}
            moved = await call("agent_checkpoint_restore", **about, **seen)
            assert moved["error"].startswith("somebody has written since the preview")
            assert moved["head"] == preview["expected_version"] + 1
            read = await call("data_read", agent=agent, key="seat")
            assert read["value"] == "1A"

            seen["expected_version"] = moved["head"]
            done = await call("agent_checkpoint_restore", **about, **seen)
            assert (done["restored"], done["verified"]) == (True, True)
            assert (done["data_keys_changed"], done["data_keys_removed"]) == (1, 1)
            assert (done["data_keys_skipped"], done["steps"]) == (0, 1)
            read = await call("data_read", agent=agent, key="seat")
            assert read["value"] == "3C"

    asyncio.run(story())
