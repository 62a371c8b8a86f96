"""The MCP server, driven by the official client over both transports.

Results are held to TuskPoint's contract field by field; where ours says more, it is the
signed descriptor of a handoff, that a list goes on, and the note that state is data.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx2
import psycopg
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from stepback import Stepback
from stepback.mcp.comparing import compared
from tests.live import Server, free_port, manage
from tests.python_client.people import Person

SOURCE = Path(__file__).parents[2] / "clients" / "python" / "src"
# What a shell starts in the background is deaf to Ctrl-C, and so is all that it starts.
HEARS = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL);"
    " os.execv(sys.argv[1], sys.argv[1:])"
)
COMMAND = [sys.executable, "-m", "stepback.mcp"]
THEIRS = {
    "checkpoint_save": {"thread_id", "state_json"},
    "checkpoint_load": {"thread_id", "checkpoint_id"},
    "checkpoint_list": {"thread_id"},
    "checkpoint_resume": {"thread_id"},
    "checkpoint_diff": {"thread_id", "id_a", "id_b"},
    "checkpoint_search": {"query"},
    "checkpoint_fork": {"source_thread_id", "source_checkpoint_id", "new_thread_id"},
    "checkpoint_rollback": {"thread_id", "checkpoint_id"},
    "handoff_checkpoint": {"thread_id", "checkpoint_id", "to_agent"},
    "adopt_checkpoint": {"handoff_json", "new_thread_id"},
    "verify_trail": {"thread_id"},
    "tuskpoint_info": set(),
}
OURS = {
    *(
        "stepback_info",
        "blame",
        "bisect",
        "incident",
        "merge_preview",
        "timeline",
        "search",
        "data_read",
        "data_write",
    ),
    *("agent_checkpoint_create", "agent_checkpoint_restore", "remember", "recall"),
    *("request_approval", "approvals", "propose_rollback", "propose_plan"),
    *("begin_effect", "finish_effect", "effects"),
    *("update_task", "check_facts"),
    *("guards", "guard_verdicts", "schemas", "budgets", "shared"),
}
WRITES = {
    "checkpoint_save",
    "checkpoint_fork",
    "checkpoint_rollback",
    "handoff_checkpoint",
    "adopt_checkpoint",
    "data_write",
    "agent_checkpoint_create",
    "agent_checkpoint_restore",
    "remember",
    "request_approval",
    "propose_rollback",
    "propose_plan",
    "begin_effect",
    "update_task",
    "check_facts",
    "finish_effect",
}
Connect = Callable[[str], AbstractAsyncContextManager[Any]]


class Caller:
    """Calls tools and reads the JSON that they answer with."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def __call__(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        answer = await self.client.call_tool(tool, arguments)
        assert not answer.is_error, answer
        (content,) = answer.content
        assert answer.structured_content == {"result": content.text}
        found = json.loads(content.text)
        assert isinstance(found, dict)
        return found


@pytest.fixture(scope="module")
def served(live: Server) -> Iterator[str]:
    """The address of an MCP server over HTTP, which has no key of its own."""
    port = free_port()
    command = [*COMMAND, "--transport", "http", "--port", str(port), "--url", live.url]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    environment.pop("STEPBACK_API_KEY", None)
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        url = f"http://127.0.0.1:{port}/mcp"
        try:
            wait_for(url, process)
            yield url
        finally:
            process.terminate()
            process.wait(timeout=30)


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        assert process.poll() is None
        try:
            httpx.post(url, json={}, timeout=30)
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("The MCP server was not ready in time.")


@pytest.fixture(params=["stdio", "http"])
def connect(request: pytest.FixtureRequest, live: Server) -> Connect:
    """`connect(key)` is a session of the official client with the tools of that key."""
    if request.param == "http":
        url = request.getfixturevalue("served")

        @asynccontextmanager
        async def over_http(key: str) -> AsyncIterator[Caller]:
            headers = {"X-API-Key": key} if key else {}
            async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
                transport = streamable_http_client(url, http_client=http)
                async with Client(transport) as client:
                    yield Caller(client)

        return over_http

    @asynccontextmanager
    async def over_stdio(key: str) -> AsyncIterator[Caller]:
        told = {"STEPBACK_URL": live.url, "STEPBACK_API_KEY": key}
        parameters = StdioServerParameters(
            command=COMMAND[0],
            args=COMMAND[1:],
            env={**told, "PYTHONPATH": str(SOURCE)},
        )
        async with Client(parameters) as client:
            yield Caller(client)

    return over_stdio


def thread() -> str:
    return f"run-{uuid.uuid4().hex}"


def test_every_tool_answers_as_its_contract_says(connect: Connect, secret: str) -> None:
    async def story() -> None:
        async with connect(secret) as call:
            await listed(call)
            saved = await saving(call)
            await comparing(call, *saved)
            await passing_on(call, *saved)
            await looking(call, saved[0])
            await asking(call, saved[0])
            await acting(call, saved[0])

    asyncio.run(story())


async def asking(call: Caller, thread_id: str) -> None:
    """Ask people; no tool decides."""
    wanted = {"thread_id": thread_id, "tool": "wire", "key": "w-1"}
    asked = await call("request_approval", **wanted, arguments='{"amount": 5}')
    again = await call("request_approval", **wanted, arguments='{"amount": 5}')
    broken = await call("request_approval", **wanted, arguments="[5]")

    assert (asked["status"], asked["arguments"]) == ("pending", {"amount": 5})
    assert (again["id"], again["outcome"]) == (asked["id"], None)
    assert broken == {"error": "Give arguments as a JSON object."}
    (found,) = (await call("approvals", approval_id=asked["id"]))["approvals"]
    assert found == asked
    waiting = (await call("approvals"))["approvals"]
    assert asked["id"] in [one["id"] for one in waiting]


async def acting(call: Caller, thread_id: str) -> None:
    """Do something outside, once."""
    mail = {"thread_id": thread_id, "key": "mail-1", "tool": "send_mail"}
    said = {"arguments": '{"to": "ann"}', "effect_class": "irreversible", "number": 0}
    begun = await call("begin_effect", **mail, **said)
    assert (begun["run"], begun["attempt"]) == (True, 1)
    again = await call("begin_effect", **mail, **said)
    assert again["error"].startswith("begin_effect failed: ")
    finish = {"thread_id": thread_id, "effect_id": begun["id"], "attempt": 1}
    broken = await call("finish_effect", **finish, result_json="{")
    assert broken == {"error": "result_json is not valid JSON."}
    done = await call("finish_effect", **finish, result_json='{"id": "m_1"}')
    assert (done["status"], done["result"]) == ("done", {"id": "m_1"})
    known = await call("begin_effect", **mail, **said)
    assert (known["run"], known["result"]) == (False, {"id": "m_1"})

    found = await call("effects", thread_id=thread_id, status="done")
    assert [one["id"] for one in found["effects"]] == [begun["id"]]
    assert found["effects"][0]["class"] == "irreversible"
    assert "data" in found["note"]
    none = await call("effects", thread_id=thread_id, effect_class="read")
    assert none["effects"] == []
    unheard = await call("effects", thread_id=thread_id, status="gone")
    assert "error" in unheard


async def listed(call: Caller) -> None:
    tools = {one.name: one for one in (await call.client.list_tools()).tools}
    taken = {name: set(tools[name].input_schema["properties"]) for name in THEIRS}
    taken["checkpoint_list"].remove("before")
    assert taken == THEIRS
    assert set(tools) == set(THEIRS) | OURS
    assert tools["checkpoint_load"].input_schema["required"] == ["thread_id"]
    for name, tool in tools.items():
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is (name not in WRITES)
        assert tool.output_schema is not None
        assert set(tool.output_schema["properties"]) == {"result"}
    info = await call("tuskpoint_info")
    assert info == await call("stepback_info")
    assert set(info) == {"name", "transport", "tools", "connect", "notes"}
    assert set(info["connect"]) == {
        "claude_desktop",
        "claude_code",
        "cursor",
        "windsurf",
        "gemini_cli",
        "vscode",
        "codex_cli",
        "generic",
    }
    assert {one["name"] for one in info["tools"]} == set(tools)


async def saving(call: Caller) -> tuple[str, str, str]:
    """Save two states; return the thread and their ids."""
    name = thread()
    empty = await call("checkpoint_list", thread_id=name)
    nothing: dict[str, Any] = {"count": 0, "has_more": False, "checkpoints": []}
    assert empty == {"thread_id": name, **nothing}
    first = await call("checkpoint_save", thread_id=name, state_json='{"a": 1, "b": 2}')
    second = await call(
        "checkpoint_save", thread_id=name, state_json='{"b": 3, "c": 4}'
    )
    assert set(first) == {"thread_id", "checkpoint_id", "blob_id"}
    assert first["checkpoint_id"] < second["checkpoint_id"]
    loaded = await call(
        "checkpoint_load", thread_id=name, checkpoint_id=first["checkpoint_id"]
    )
    assert set(loaded) == {"thread_id", "checkpoint_id", "state", "note"}
    assert loaded["state"] == {"a": 1, "b": 2}
    assert "data" in loaded["note"]
    resumed = await call("checkpoint_resume", thread_id=name)
    assert resumed == await call("checkpoint_load", thread_id=name)
    assert resumed["state"] == {"b": 3, "c": 4}
    listed = await call("checkpoint_list", thread_id=name)
    assert listed["count"] == 2
    assert [one["checkpoint_id"] for one in listed["checkpoints"]] == [
        second["checkpoint_id"],
        first["checkpoint_id"],
    ]
    newest = listed["checkpoints"][0]
    assert set(newest) == {
        "checkpoint_id",
        "blob_id",
        "parent_checkpoint_id",
        "timestamp",
        "summary",
    }
    assert newest["parent_checkpoint_id"] == first["checkpoint_id"]
    assert newest["blob_id"] == second["blob_id"]
    assert newest["summary"].startswith(f"[thread={name} checkpoint=")
    return name, first["checkpoint_id"], second["checkpoint_id"]


async def comparing(call: Caller, name: str, first: str, second: str) -> None:
    found = await call("checkpoint_diff", thread_id=name, id_a=first, id_b=second)
    found.pop("note")
    assert found == {
        "thread_id": name,
        "id_a": first,
        "id_b": second,
        "added": {"c": 4},
        "removed": {"a": 1},
        "changed": {"b": {"from": 2, "to": 3}},
        "human_readable": "+ c: 4\n- a: 1\n~ b: 2 -> 3",
    }
    done = await call("checkpoint_rollback", thread_id=name, checkpoint_id=first)
    assert set(done) == {
        "thread_id",
        "checkpoint_id",
        "restored_from",
        "blob_id",
        "rolled_back_from",
        "verified",
    }
    assert done["verified"] is True
    assert done["restored_from"] == done["rolled_back_from"] == first
    head = await call("checkpoint_resume", thread_id=name)
    assert (head["checkpoint_id"], head["state"]) == (
        done["checkpoint_id"],
        {"a": 1, "b": 2},
    )
    listed = await call("checkpoint_list", thread_id=name)
    assert listed["checkpoints"][0]["parent_checkpoint_id"] == second
    trail = await call("verify_trail", thread_id=name)
    assert set(trail) == {
        "thread_id",
        "ok",
        "checkpoint_count",
        "verified",
        "tampered_count",
        "steps",
    }
    assert (trail["ok"], trail["verified"], trail["tampered_count"]) == (True, 3, 0)
    assert [one["checkpoint_id"] for one in trail["steps"]][:2] == [first, second]
    assert trail["steps"][0] == {
        "checkpoint_id": first,
        "blob_id": trail["steps"][0]["stored_hash"],
        "stored_hash": trail["steps"][0]["recomputed_hash"],
        "recomputed_hash": trail["steps"][0]["stored_hash"],
        "status": "PASS",
    }


async def passing_on(call: Caller, name: str, first: str, second: str) -> None:
    fork, adopted = thread(), thread()
    forked = await call(
        "checkpoint_fork",
        source_thread_id=name,
        source_checkpoint_id=second,
        new_thread_id=fork,
    )
    assert set(forked) == {
        "source",
        "new_thread_id",
        "checkpoint_id",
        "blob_id",
        "forked_from",
    }
    assert forked["forked_from"] == forked["source"] == f"{name}:{second}"
    loaded = await call("checkpoint_load", thread_id=fork)
    assert (loaded["checkpoint_id"], loaded["state"]) == (
        forked["checkpoint_id"],
        {"b": 3, "c": 4},
    )
    again = await call(
        "checkpoint_fork",
        source_thread_id=name,
        source_checkpoint_id=second,
        new_thread_id=fork,
    )
    assert again == {
        "error": f"thread already exists: {fork} (1 checkpoint(s)). "
        "Fork into a fresh id."
    }
    handoff = await call("handoff_checkpoint", thread_id=name, checkpoint_id=first)
    assert set(handoff) - {"stepback"} == {
        "source",
        "thread_id",
        "checkpoint_id",
        "blob_id",
        "blob_sha256",
        "to_agent",
        "summary",
    }
    assert (handoff["to_agent"], handoff["source"]) == (None, f"{name}:{first}")
    took = await call(
        "adopt_checkpoint", handoff_json=json.dumps(handoff), new_thread_id=adopted
    )
    assert set(took) == {
        "adopted_from",
        "new_thread_id",
        "checkpoint_id",
        "blob_id",
        "verified",
    }
    assert (took["adopted_from"], took["verified"]) == (f"{name}:{first}", True)
    loaded = await call("checkpoint_load", thread_id=adopted)
    assert loaded["state"] == {"a": 1, "b": 2}
    taken = await call(
        "adopt_checkpoint", handoff_json=json.dumps(handoff), new_thread_id=adopted
    )
    assert taken["error"].startswith(f"thread already exists: {adopted} (1 ")
    assert taken["error"].endswith("Adopt into a fresh id.")
    await refusing(call, handoff)


async def refusing(call: Caller, handoff: dict[str, Any]) -> None:
    """Adopt what was changed outside the signature, inside it, and what has none."""
    fresh = thread()
    changed = [
        {**handoff, "blob_sha256": "00"},
        {**handoff, "stepback": {**handoff["stepback"], "version": 2}},
        {**handoff, "stepback": {**handoff["stepback"], "signature": "00"}},
    ]
    for one in changed:
        refused = await call(
            "adopt_checkpoint", handoff_json=json.dumps(one), new_thread_id=fresh
        )
        assert refused["error"].startswith("handoff integrity check FAILED for ")
    del handoff["stepback"]
    refused = await call(
        "adopt_checkpoint", handoff_json=json.dumps(handoff), new_thread_id=fresh
    )
    assert refused["error"].startswith("handoff blob not found: ")
    refused = await call("adopt_checkpoint", handoff_json="{", new_thread_id=fresh)
    assert refused["error"].startswith("handoff_json is not valid JSON: ")
    assert (await call("checkpoint_list", thread_id=fresh))["count"] == 0


async def previewing(call: Caller, name: str) -> None:
    """Nothing is merged by what tells of it."""
    before = await call("checkpoint_list", thread_id=name)
    newest = (await call("checkpoint_load", thread_id=name))["checkpoint_id"]
    fork = thread()
    await call(
        "checkpoint_fork",
        source_thread_id=name,
        source_checkpoint_id=newest,
        new_thread_id=fork,
    )
    await call("checkpoint_save", thread_id=fork, state_json='{"fixed": true}')
    shown = await call(
        "merge_preview", thread_id=name, verb="promote", fork_thread_id=fork
    )
    assert (shown["conflict_count"], shown["thread_id"]) == (0, name)
    assert "/fixed" in [one["pointer"] for one in shown["changes_taken"]]
    taken = await call("merge_preview", thread_id=name, verb="revert", first=1, last=1)
    assert taken["op"] == "revert"
    unknown = await call("merge_preview", thread_id=name, verb="merge")
    assert unknown["error"] == "verb takes promote, revert or reapply"
    nowhere = await call("merge_preview", thread_id=name, verb="promote")
    assert "thread not found" in nowhere["error"]
    assert await call("checkpoint_list", thread_id=name) == before


async def going_on(call: Caller) -> None:
    """Ask on where a blame ended, until all who set the value are told."""
    name = thread()
    for number in (1, 2, 3):
        state = json.dumps({"n": number})
        await call("checkpoint_save", thread_id=name, state_json=state)
    asked = {"thread_id": name, "pointer": "/n", "limit": 2}
    first = await call("blame", **asked)
    rest = await call("blame", **asked, after=first["next"])
    told_of = [one["after"] for one in first["data"] + rest["data"]]
    assert (first["has_more"], rest["has_more"], told_of) == (True, False, [3, 2, 1])


async def looking(call: Caller, name: str) -> None:
    blamed = await call("blame", thread_id=name, pointer="/b")
    assert (blamed["value"], blamed["data"][0]["version"]) == (2, 1)
    await going_on(call)
    turned = await call("bisect", thread_id=name, check="state.b=2")
    assert (turned["exact"], turned["thread_id"]) == (True, name)
    assert [one["version"] for one in turned["data"]][-1] == 1
    bad = await call("bisect", thread_id=name, check="b=2")
    assert "At character 1" in bad["error"]
    await previewing(call, name)
    assert "incidents" in await call("incident")
    none = await call("incident", incident_id=f"incd_{'0' * 26}")
    assert "no such incident" in none["error"]
    told = await call("timeline", thread_id=name, limit=2)
    assert [one["version"] for one in told["versions"]] == [3, 2]
    assert told["versions"][0]["restored_version"] == 1
    session = told["session_id"]
    found = await call("search", query=f"session:{session} changed:state.c")
    assert [one["session_id"] for one in found["results"]] == [session]
    hits = await call("checkpoint_search", query="Rolled back to checkpoint")
    assert set(hits) == {"query", "results", "method", "has_more", "why", "note"}
    assert (hits["method"], "switch it on" in hits["why"]) == ("words", True)
    assert 0 < len(hits["results"]) <= 5
    assert set(hits["results"][0]) == {"text", "distance"}
    assert hits["results"][0]["distance"] is None
    assert hits["results"][0]["text"].startswith("[thread=")
    by_id = await call("checkpoint_load", thread_id=session)
    assert by_id["state"] == {"a": 1, "b": 2}


@pytest.mark.parametrize("connect", ["stdio"], indirect=True)
def test_checkpoints_are_found_by_meaning(connect: Connect, live: Server) -> None:
    admin = live.key("stepback-meaning", "--scope", "admin")
    with live.client(admin) as client:
        on = {"search_by_meaning": True}
        client.patch("/v1/project", json=on).raise_for_status()
    states = ('{"plan": "give the money back"}', '{"plan": "book a flight to Oslo"}')
    names = [thread() for _ in states]

    async def story() -> None:
        async with connect(admin) as call:
            made = [
                await call("checkpoint_save", thread_id=name, state_json=state)
                for name, state in zip(names, states, strict=True)
            ]
            manage(live.dsn, "embed")
            found = await call("checkpoint_search", query="a refund for the customer")
            assert (found["method"], found["pending"]) == ("meaning", 0)
            assert (found["has_more"], found["catching_up"]) == (False, False)
            first, second, *_ = found["results"]
            place = f"[thread={names[0]} checkpoint={made[0]['checkpoint_id']} step=1]"
            assert first["text"].startswith(f"{place} ")
            assert 0 <= first["distance"] < second["distance"] <= 2

    asyncio.run(story())


def test_what_fails_is_told_as_data(connect: Connect, live: Server) -> None:
    reader = live.key("stepback-client", "--scope", "read")
    name = thread()

    async def story() -> None:
        async with connect(reader) as call:
            assert await call("checkpoint_load", thread_id=name) == {
                "error": "no checkpoint found",
                "thread_id": name,
            }
            bad = await call("checkpoint_save", thread_id=name, state_json="{")
            assert bad["error"].startswith("state_json is not valid JSON: ")
            deep = await call(
                "checkpoint_save", thread_id=name, state_json="[" * 100_000
            )
            assert deep["error"].startswith("checkpoint_save failed: ")
            barred = await call("checkpoint_save", thread_id=name, state_json="{}")
            assert barred["error"].startswith("checkpoint_save failed: ")
            both = await call("checkpoint_diff", thread_id=name, id_a="a", id_b="b")
            assert both == {"error": "one or both checkpoints not found"}
            for tool, arguments, said in (
                ("checkpoint_rollback", {"checkpoint_id": "x"}, "checkpoint not found"),
                ("handoff_checkpoint", {"checkpoint_id": "x"}, "checkpoint not found"),
                ("blame", {"pointer": "/a"}, "thread not found"),
            ):
                refused = await call(tool, thread_id=name, **arguments)
                assert refused["error"].startswith(said)
            trail = await call("verify_trail", thread_id=name)
            assert (trail["ok"], trail["steps"]) == (False, [])
        async with connect("sb_nobody") as call:
            barred = await call("checkpoint_search", query="anything")
            assert barred["results"] == []
            assert barred["error"].startswith("semantic search unavailable: ")

    asyncio.run(story())


def test_what_a_tool_does_not_take_is_not_dropped(
    connect: Connect, secret: str
) -> None:
    async def story() -> None:
        async with connect(secret) as call:
            tools = {one.name: one for one in (await call.client.list_tools()).tools}
            assert tools["remember"].input_schema["additionalProperties"] is False
            content = f"Sits at the window {uuid.uuid4()}"
            given = {"content": content, "userid": "u_17"}
            refused = await call.client.call_tool("remember", given)
            assert refused.is_error
            assert "remember takes no argument 'userid', but content, type" in str(
                refused.content
            )
            found = await call("recall", query=content)
            assert content not in [one["content"] for one in found["memories"]]
            # Some hosts cannot send nothing.
            told = await call.client.call_tool("stepback_info", {"random_string": "x"})
            assert not told.is_error

    asyncio.run(story())


@pytest.mark.parametrize("connect", ["http"], indirect=True)
def test_a_proposed_rollback_waits_for_people(connect: Connect, live: Server) -> None:
    project, name = f"proposing-{uuid.uuid4().hex[:8]}", thread()
    secret, admin = live.key(project), live.key(project, "--scope", "admin")
    people = Person(live, project, f"olga-of-{project}")

    async def story() -> None:
        async with connect(secret) as call:
            saved = [
                await call("checkpoint_save", thread_id=name, state_json=text)
                for text in ('{"n": 1}', '{"n": 2}')
            ]
            with Stepback(admin, live.url) as ruling:
                ruling.approvals.create_rule("mcp", tool="rollback")
            back = {"thread_id": name, "checkpoint_id": saved[0]["checkpoint_id"]}
            refused = await call("checkpoint_rollback", **back)
            assert refused["error"].startswith("checkpoint_rollback failed: ")
            missing = await call("propose_rollback", thread_id=name, checkpoint_id="no")
            assert missing == {"error": "checkpoint not found: no"}

            asked = await call("propose_rollback", **back, reason="Wrong.", key="b-1")
            again = await call("propose_rollback", **back, reason="Wrong.", key="b-1")
            assert (asked["tool"], asked["id"]) == ("rollback", again["id"])
            head = await call("checkpoint_resume", thread_id=name)
            assert head["state"] == {"n": 2}
            assert "error" in await call("checkpoint_rollback", **back)

            people.approves(asked["id"])
            done = await call("checkpoint_rollback", **back)
            assert done["restored_from"] == back["checkpoint_id"]
            head = await call("checkpoint_resume", thread_id=name)
            assert head["state"] == {"n": 1}

    asyncio.run(story())
    people.close()


@pytest.mark.parametrize("connect", ["http"], indirect=True)
def test_a_proposed_plan_says_what_would_be_done_and_does_nothing(
    connect: Connect, live: Server
) -> None:
    secret, name = live.key(f"planning-{uuid.uuid4().hex[:8]}"), thread()

    async def story() -> None:
        async with connect(secret) as call:
            for text in ('{"n": 1}', '{"n": 2}'):
                saved = await call("checkpoint_save", thread_id=name, state_json=text)
            asked = {"kind": "rollback", "target": '{"check": "NOT state.n=2"}'}
            both = await call("propose_plan", incident_id="x", q="y", **asked)
            assert both == {"error": "Give either incident_id or q."}
            unknown = await call("propose_plan", kind="delete", q="agent:x")
            assert "kind takes" in unknown["error"]

            plan = await call("propose_plan", q="age<2h", **asked)
            assert (plan["status"], plan["verdicts"]) == ("draft", {"clean": 1})
            assert "Nothing is done" in plan["note"]
            head = await call("checkpoint_resume", thread_id=name)
            assert head["checkpoint_id"] == saved["checkpoint_id"]

    asyncio.run(story())


@pytest.mark.parametrize("connect", ["http"], indirect=True)
def test_a_trail_that_was_tampered_with_says_where(
    connect: Connect, live: Server, secret: str
) -> None:
    name = thread()

    async def story() -> None:
        async with connect(secret) as call:
            for number in range(3):
                state = json.dumps({"n": number})
                await call("checkpoint_save", thread_id=name, state_json=state)
            assert (await call("verify_trail", thread_id=name))["ok"] is True
            tamper(live, name, 2)
            trail = await call("verify_trail", thread_id=name)
        assert (trail["ok"], trail["checkpoint_count"]) == (False, 3)
        assert (trail["verified"], trail["tampered_count"]) == (1, 1)
        assert [one["status"] for one in trail["steps"]] == [
            "PASS",
            "FAIL",
            "UNVERIFIED",
        ]
        broken = trail["steps"][1]
        assert broken["stored_hash"] == broken["blob_id"]
        assert broken["recomputed_hash"] is None

    asyncio.run(story())


def add_turn(live: Server, secret: str, name: str) -> None:
    headers = {"Authorization": f"Bearer {secret}"}
    with httpx.Client(base_url=f"{live.url}/v1", headers=headers) as http:
        found = http.get("/sessions", params={"external_id": name}).json()["data"]
        said = {"input": "Hello", "output": "Hi"}
        answer = http.post(f"/sessions/{found[0]['id']}/turns", json=said)
        assert answer.status_code == 201


def tamper(live: Server, name: str, number: int, table: str = "version") -> None:
    """Change what a version or turn says, as the owner of the database could."""
    column = {"version": "number", "turn": "turn_number"}[table]
    with psycopg.connect(live.dsn) as connection:
        connection.execute(f"ALTER TABLE timeline_{table} DISABLE TRIGGER USER")
        changed = connection.execute(
            f"UPDATE timeline_{table} v SET reasoning = 'Nothing happened'"
            " FROM timeline_sessionname n WHERE n.external_id = %s"
            f" AND v.session_id = n.session_id AND v.{column} = %s",
            [name, number],
        )
        assert changed.rowcount == 1
        connection.execute(f"ALTER TABLE timeline_{table} ENABLE TRIGGER USER")


@pytest.mark.parametrize("connect", ["http"], indirect=True)
def test_a_tampered_turn_leaves_the_checkpoints_as_they_are(
    connect: Connect, live: Server, secret: str
) -> None:
    name = thread()

    async def story() -> None:
        async with connect(secret) as call:
            await call("checkpoint_save", thread_id=name, state_json="{}")
            add_turn(live, secret, name)
            assert (await call("verify_trail", thread_id=name))["ok"] is True
            tamper(live, name, 1, table="turn")
            trail = await call("verify_trail", thread_id=name)
        assert (trail["ok"], trail["tampered_count"]) == (False, 0)
        assert [one["status"] for one in trail["steps"]] == ["PASS"]

    asyncio.run(story())


@pytest.mark.parametrize("connect", ["http"], indirect=True)
def test_a_list_of_checkpoints_goes_on(
    connect: Connect, secret: str, live: Server
) -> None:
    name = thread()

    async def story() -> None:
        async with connect(secret) as call:
            await call("checkpoint_save", thread_id=name, state_json="{}")
            with Stepback(secret, live.url) as client:
                (session,) = client.sessions.list(external_id=name).data
                for _ in range(2):
                    client.sessions.append_batch(session.id, [{"state": {}}] * 50)
            first = await call("checkpoint_list", thread_id=name)
            last = first["checkpoints"][-1]["checkpoint_id"]
            rest = await call("checkpoint_list", thread_id=name, before=last)
            timeline = await call("timeline", thread_id=name)
            unknown = await call("checkpoint_list", thread_id=name, before="nothing")
        assert (first["count"], first["has_more"]) == (100, True)
        assert (rest["count"], rest["has_more"]) == (1, False)
        ids = [one["checkpoint_id"] for one in first["checkpoints"]]
        assert rest["checkpoints"][0]["checkpoint_id"] not in ids
        assert timeline["has_more"] is True
        assert unknown == {"error": "checkpoint not found: nothing"}

    asyncio.run(story())


def test_a_value_that_is_no_object_comes_back_as_it_was(
    connect: Connect, secret: str
) -> None:
    name = thread()

    async def story() -> None:
        async with connect(secret) as call:
            saved = [
                await call("checkpoint_save", thread_id=name, state_json=text)
                for text in ("[1, 2]", '{"value": 3}')
            ]
            first, second = (one["checkpoint_id"] for one in saved)
            loaded = [
                await call("checkpoint_load", thread_id=name, checkpoint_id=one)
                for one in (first, second)
            ]
            assert [one["state"] for one in loaded] == [[1, 2], {"value": 3}]
            await call("checkpoint_rollback", thread_id=name, checkpoint_id=first)
            assert (await call("checkpoint_resume", thread_id=name))["state"] == [1, 2]

    asyncio.run(story())


def test_it_is_stopped_without_a_traceback(live: Server) -> None:
    port = free_port()
    command = [*COMMAND, "--transport", "http", "--port", str(port)]
    heard = [sys.executable, "-c", HEARS, *command]
    env = {"PYTHONPATH": str(SOURCE), "STEPBACK_URL": live.url}
    with subprocess.Popen(heard, env=env, stderr=subprocess.PIPE) as process:
        wait_for(f"http://127.0.0.1:{port}/mcp", process)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)

    assert process.returncode == 130
    assert b"Traceback" not in said


def test_over_http_nobody_acts_with_the_servers_key(served: str) -> None:
    async def story() -> None:
        async with Client(served) as client:
            refused = await Caller(client)("checkpoint_list", thread_id="x")
        assert refused["error"].startswith("Send your API key")

    asyncio.run(story())


def test_a_page_of_another_site_does_not_reach_it(served: str) -> None:
    for headers in ({"Origin": "https://evil.example"}, {"Host": "evil.example"}):
        answer = httpx.post(served, json={}, headers=headers, timeout=60)
        assert answer.status_code in (403, 421)


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ({}, {}, "(no differences)"),
        ([1], [2], "~ value: [1] -> [2]"),
        ({"b": 1, "a": 1}, {}, "- a: 1\n- b: 1"),
        ({"a": {"x": 1}}, {"a": {"x": 2}}, "~ a: {'x': 1} -> {'x': 2}"),
    ],
)
def test_differences_are_told_as_theirs_are(
    before: Any, after: Any, lines: str
) -> None:
    assert compared(before, after)["human_readable"] == lines
