"""No tool of the MCP server tells of who is erased, also within one session of it; or,
with a masked key, what is masked.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from apps.core.roles.names import Role
from tests.erasures.leaving import CANARY, begun_erasure, done, leave
from tests.erasures.served import Caller
from tests.live import Server, feed, manage, serving
from tests.python_client.test_mcp import COMMAND, SOURCE
from tests.timeline.runs import Run

# What is asked for is echoed: another word of the text is searched for.
WORD = "zanzibarword"


@pytest.fixture(scope="module")
def house(worker_id: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("erasures")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STEPBACK_ERASURES", str(folder / "erasures"))
        with serving(f"tools_{worker_id}", workers=1) as server:
            yield server


async def asked(client: Client, run: Run) -> dict[str, str]:
    """Return what each tool that reads tells of a session and its person."""
    thread = {"thread_id": run.id}
    calls: dict[str, dict[str, Any]] = {
        "checkpoint_load": thread,
        "checkpoint_list": thread,
        "checkpoint_resume": thread,
        "checkpoint_search": {"query": WORD},
        "verify_trail": thread,
        "search": {"query": WORD},
        "timeline": thread,
        "blame": thread | {"pointer": "/name"},
        "recall": {"query": WORD, "user_id": "ann"},
        "approvals": {},
        "effects": thread,
    }
    found = {}
    tools = {one.name: one for one in (await client.list_tools()).tools}
    for name, arguments in calls.items():
        taken = tools[name].input_schema["properties"]
        given = {key: value for key, value in arguments.items() if key in taken}
        answer = await client.call_tool(name, given)
        found[name] = "".join(one.text for one in answer.content)
    return found


def tools_for(house: Server, key: str) -> StdioServerParameters:
    """Return how the tools are started for a key."""
    told = {"STEPBACK_URL": house.url, "STEPBACK_API_KEY": key}
    return StdioServerParameters(
        command=sys.executable,
        args=COMMAND[1:],
        env={**told, "PYTHONPATH": str(SOURCE)},
    )


def test_no_tool_tells_of_who_is_erased(house: Server) -> None:
    key = house.key("checkout", "--scope", "admin")
    parameters = tools_for(house, key)

    async def story(admin: Caller) -> tuple[dict[str, str], dict[str, str]]:
        run = leave(admin, canary=f"{WORD}-{CANARY}")
        feed(house.dsn)
        async with Client(parameters) as client:
            before = await asked(client, run)
            begun_erasure(admin, user_id="ann")
            said = manage(house.dsn, "retention", "--once", role=Role.RETENTION)
            assert "1 erasures done" in said
            return before, await asked(client, run)

    with house.client(key) as over:
        before, after = asyncio.run(story(Caller(over)))

    tellers = {name for name, text in before.items() if CANARY in text}
    assert {"checkpoint_load", "timeline", "effects", "approvals"} <= tellers
    assert [name for name, text in after.items() if CANARY in text] == []


def test_no_tool_tells_a_masked_key_what_is_masked(house: Server) -> None:
    parameters = tools_for(house, house.key("masks", "--scope", "masked"))
    mask = {"pattern": "words", "words": [CANARY], "style": "hide"}

    async def story(admin: Caller) -> dict[str, str]:
        run = leave(admin, canary=f"{WORD}-{CANARY}")
        done(admin.put("/v1/masks", {"masks": [mask]}))
        feed(house.dsn)
        async with Client(parameters) as client:
            return await asked(client, run)

    with house.client(house.key("masks", "--scope", "admin")) as over:
        found = asyncio.run(story(Caller(over)))

    assert [name for name, text in found.items() if CANARY in text] == []
    refusals = (
        "This key is masked",
        "Who asks is masked",
        "This needs read permission",
    )
    assert all(any(why in text for why in refusals) for text in found.values()), found
