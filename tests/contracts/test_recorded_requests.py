"""What the published clients really send is taken: no field of theirs is unknown.

The requests were recorded with statebase 0.4.1 and anchorai 1.1.0, as far as they go to
routes that are served. Those of statebase are held to the installed package, too.
"""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from statebase import AsyncStateBase, StateBase  # type: ignore[import-untyped]

from apps.core import json
from tests.conftest import Api
from tests.contracts.world import World

pytestmark = pytest.mark.django_db

SESSION = "/v1/sessions/{session_id}"
TURN = {"input": {"type": "text", "content": "i"}, "metadata": None, "reasoning": None}
TOOL_CALL = {
    "input": {
        "type": "tool_call",
        "content": "Call tool t with {'a': 1}",
        "tool_metadata": {"name": "t", "arguments": {"a": 1}, "id": "c1"},
    },
    "output": {"type": "tool_response", "content": "1", "output": 1},
    "metadata": None,
    "reasoning": None,
}
# Method, address with its query, body.
Recorded = tuple[str, str, Any]
STATEBASE: dict[str, Recorded] = {
    "sessions.create": (
        "POST",
        "/v1/sessions",
        {"agent_id": "a", "metadata": None, "initial_state": None, "ttl_seconds": None},
    ),
    "sessions.get": ("GET", SESSION, None),
    "sessions.list": (
        "GET",
        "/v1/sessions?limit=20&agent_id=a&starting_after=sess_0"
        "&created_after=2026-01-01",
        None,
    ),
    "sessions.get_context": (
        "POST",
        f"{SESSION}/context",
        {"query": None, "memory_limit": 5, "turn_limit": 5},
    ),
    "sessions.add_turn": (
        "POST",
        f"{SESSION}/turns",
        {**TURN, "output": {"type": "text", "content": "o"}},
    ),
    "sessions.add_tool_call": ("POST", f"{SESSION}/turns", TOOL_CALL),
    "sessions.list_turns": ("GET", f"{SESSION}/turns?limit=20", None),
    "sessions.get_state": ("GET", f"{SESSION}/state", None),
    "sessions.update_state": (
        "PATCH",
        f"{SESSION}/state",
        {"state": {"a": 1}, "reasoning": None},
    ),
    "sessions.rollback": ("POST", f"{SESSION}/state/rollback", {"version": -1}),
    "sessions.fork": ("POST", f"{SESSION}/fork", {"version": None}),
    "sessions.delete": ("DELETE", SESSION, None),
    "memory.add": (
        "POST",
        "/v1/memories",
        {
            "content": "c",
            "type": "fact",
            "session_id": None,
            "tags": None,
            "metadata": None,
        },
    ),
    "memory.search": (
        "GET",
        "/v1/memories?query=q&limit=10&threshold=0.7&types=fact&tags=a%2Cb",
        None,
    ),
}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "sessions.create": {"agent_id": "a"},
    "sessions.list": {
        "agent_id": "a",
        "starting_after": "sess_0",
        "created_after": "2026-01-01",
    },
    "sessions.add_turn": {"input": "i", "output": "o"},
    "sessions.add_tool_call": {
        "tool_name": "t",
        "arguments": {"a": 1},
        "output": 1,
        "tool_call_id": "c1",
    },
    "sessions.update_state": {"state": {"a": 1}},
    "sessions.rollback": {"version": -1},
    "memory.add": {"content": "c"},
    "memory.search": {"query": "q", "types": "fact", "tags": "a,b"},
}
# Earlier releases and the documents' own requests, where they differ.
DOCUMENTED: dict[str, Recorded] = {
    "first sdk: replace": ("PUT", f"{SESSION}/state", {"state": {}, "reasoning": "r"}),
    "guide: replace": ("POST", f"{SESSION}/state", {"state": {}, "reasoning": "r"}),
    "guide: rollback": ("POST", f"{SESSION}/rollback", {"version": 0}),
    "openapi: rollback": (
        "POST",
        f"{SESSION}/state/rollback",
        {"version": 0, "reason": None},
    ),
    "curl: update": ("PATCH", f"{SESSION}/state", {"updates": {"step": 1}}),
    "curl: turn": (
        "POST",
        f"{SESSION}/turns",
        {"input": "i", "output": "o", "metadata": {"model": "gpt-4", "tokens": 150}},
    ),
    "curl: fork": ("POST", f"{SESSION}/fork", {"new_agent_id": "forked-experiment"}),
    "openapi: history": (
        "GET",
        f"{SESSION}/history?limit=50&include_state=true&include_traces=true",
        None,
    ),
    "docs: memory": ("POST", "/v1/memory", {"content": "c", "embed": True}),
    "docs: memory search": (
        "POST",
        "/v1/memory/search",
        {
            "query": "q",
            "session_id": None,
            "user_id": "u",
            "type": "fact",
            "tags": ["a"],
            "limit": 50,
            "threshold": 0.7,
        },
    ),
    "docs: memories": (
        "GET",
        "/v1/memory?user_id=u&type=fact&tags=a%2Cb&limit=20&starting_after=mem_0",
        None,
    ),
    "curl: memory": (
        "POST",
        f"{SESSION}/memories",
        {"content": "c", "memory_type": "fact", "metadata": {}},
    ),
    "curl: memory search": (
        "POST",
        f"{SESSION}/memories/search",
        {"query": "q", "top_k": 5},
    ),
    "typescript: memory search": (
        "GET",
        "/v1/memories?query=q&session_id={session_id}&top_k=5&limit=5",
        None,
    ),
    "first sdk: memory search": ("GET", "/v1/memories/search?query=q&top_k=10", None),
    "openapi: states": ("GET", f"{SESSION}/state/history?limit=50", None),
    "openapi: key": (
        "POST",
        "/v1/dashboard/keys",
        {"name": "k", "rate_limit": 100, "expires_days": None, "owner_id": None},
    ),
}
ANCHOR: dict[str, Recorded] = {
    "agents.create": ("POST", "/v1/agents", {"name": "n", "metadata": {}}),
    "agents.get": ("GET", "/v1/agents/{reference}", None),
    "agents.list": ("GET", "/v1/agents?limit=50&offset=0&status=active", None),
    "agents.update": ("PATCH", "/v1/agents/{reference}", {"metadata": {"k": 1}}),
    "agents.suspend": ("POST", "/v1/agents/{reference}/suspend", None),
    "agents.activate": ("POST", "/v1/agents/{reference}/activate", {}),
}
RECORDED = STATEBASE | DOCUMENTED | ANCHOR


@pytest.mark.parametrize("name", RECORDED)
def test_it_is_taken(name: str, world: World) -> None:
    method, address, body = RECORDED[name]
    client = world.admin if "dashboard" in address else world.client

    answer = client.send(method, address.format(**world.parameters), body)

    assert answer.status < 300, answer.content
    assert "Ignored-Input" not in answer.headers


@pytest.mark.parametrize("name", STATEBASE)
@pytest.mark.parametrize("kind", [StateBase, AsyncStateBase])
def test_the_installed_client_sends_that(name: str, kind: Any) -> None:
    assert recorded(kind, name) == STATEBASE[name]


def recorded(kind: Any, name: str) -> Recorded:
    """Return what a method of the client would send; nobody answers it."""
    sent: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(500)

    with asyncio.Runner() as runner:
        client = kind(api_key="sb_key", base_url="http://nobody.invalid")
        transport = httpx.MockTransport(answer)
        asking = httpx.AsyncClient if kind is AsyncStateBase else httpx.Client
        # Where the client keeps its connections: no address is asked.
        client.sessions.client = asking(transport=transport)
        client.memory.client = client.sessions.client
        with pytest.raises(httpx.HTTPStatusError):
            finish(runner, call_of(client, name))
        for one in (client.sessions.client, client.client):
            finish(runner, getattr(one, "aclose", None) or one.close)
    (request,) = sent
    path = request.url.raw_path.decode().replace("sess_1", "{session_id}")
    body = json.parse(request.content) if request.content else None
    return request.method, path, body


def call_of(client: Any, name: str) -> Callable[[], Any]:
    resource, _, own_name = name.partition(".")
    method = getattr(getattr(client, resource), own_name)
    needed = inspect.signature(method).parameters
    has_session = resource == "sessions" and "session_id" in needed
    given = {"session_id": "sess_1"} if has_session else {}
    return lambda: method(**given, **ARGUMENTS.get(name, {}))


def finish(runner: asyncio.Runner, act: Callable[[], Any]) -> None:
    done = act()
    if inspect.iscoroutine(done):
        runner.run(done)


def test_both_of_the_older_headers_are_taken(world: World) -> None:
    """Releases 0.1.1 to 0.2.0 send the key twice, and a content type with nothing."""
    key = world.client.key["X-API-Key"]
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    answer = Api(key).send("GET", world.session, headers=headers)

    assert answer.status == 200
