"""The unmodified StateBase SDK works against a real server, in both of its forms."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import httpx
import pytest
from statebase import AsyncStateBase, StateBase  # type: ignore[import-untyped]

from tests.clients.calls import PROOFS
from tests.clients.sdk import called, methods
from tests.live import Server

WITHOUT_KEY = {"health", "close"}
ARGUMENTS = {
    "agent_id": "travel-agent",
    "session_id": "sess_00000000000000000000000000",
    "version": 0,
    "state": {"step": 1},
    "input": "Hello",
    "output": "Hi there!",
    "tool_name": "search",
    "arguments": {},
    "content": "prefers aisle seats",
    "query": "seats",
}


def minimal(signature: inspect.Signature) -> dict[str, Any]:
    """Return a value for each argument that has no default."""
    return {
        name: ARGUMENTS[name]
        for name, parameter in signature.parameters.items()
        if name != "self" and parameter.default is parameter.empty
    }


def status_of(call: Callable[[], Any]) -> int:
    """Return the status with which the SDK says that the call was refused."""
    with pytest.raises(httpx.HTTPStatusError) as refused:
        call()
    return refused.value.response.status_code


@pytest.fixture(scope="module")
def offered() -> dict[str, inspect.Signature]:
    """Every method of the SDK; no request is made to look at them."""
    with StateBase(api_key="none") as client:
        return methods(client)


def test_it_is_the_published_release() -> None:
    assert version("statebase") == "0.4.1"


def test_every_method_has_a_proof(
    offered: dict[str, inspect.Signature],
) -> None:
    assert set(PROOFS) == set(offered)


def test_both_clients_offer_the_same_methods(
    offered: dict[str, inspect.Signature],
) -> None:
    client = AsyncStateBase(api_key="none")

    also = methods(client)

    asyncio.run(client.close())
    assert {name: list(found.parameters) for name, found in also.items()} == {
        name: list(found.parameters) for name, found in offered.items()
    }


@pytest.mark.parametrize("name", PROOFS)
def test_it_serves(name: str, sdk: Any, rest: httpx.Client, agent_id: str) -> None:
    PROOFS[name](sdk, rest, agent_id)


@pytest.mark.parametrize("name", sorted(set(PROOFS) - WITHOUT_KEY))
def test_it_refuses_an_unknown_key(
    name: str, connect: Any, offered: dict[str, inspect.Signature]
) -> None:
    stranger = connect("sb_nobody")

    assert status_of(lambda: called(stranger, name, **minimal(offered[name]))) == 401


def test_it_shows_another_project_none_of_its_sessions(
    sdk: Any,
    connect: Any,
    live: Server,
    agent_id: str,
    offered: dict[str, inspect.Signature],
) -> None:
    made = sdk.sessions.create(agent_id, initial_state={"n": 0})
    stranger = connect(live.key("lodging"))
    of_one_session = [name for name in PROOFS if "session_id" in str(offered[name])]
    assert len(of_one_session) == 12

    for name in of_one_session:
        given = minimal(offered[name]) | {"session_id": made.id}
        status = status_of(lambda n=name, g=given: called(stranger, n, **g))  # type: ignore[misc]
        assert (name, status) == (name, 404)

    assert stranger.sessions.list(agent_id=agent_id)["data"] == []
    assert sdk.sessions.get_state(made.id).version == 0


def test_a_session_is_gone_when_its_time_is_up(sdk: Any, agent_id: str) -> None:
    made = sdk.sessions.create(agent_id, ttl_seconds=1)
    assert sdk.sessions.get(made.id).ttl_expires_at

    time.sleep(1.1)

    assert status_of(lambda: sdk.sessions.get(made.id)) == 404
    assert sdk.sessions.list(agent_id=agent_id)["data"] == []


def test_state_comes_back_exactly(sdk: Any, agent_id: str) -> None:
    hard = {
        "int": 2**80,
        "small": 5e-324,
        "minus_zero": -0.0,
        "text": 'é \u0000 \U0001f6eb "\\',
        "zebra": 1,
        "apple": {"": [[], {}, None, True]},
    }

    made = sdk.sessions.create(agent_id, initial_state=hard)

    for found in (made.state, sdk.sessions.get_state(made.id).state):
        assert repr(found) == repr(hard)


def test_one_asynchronous_client_makes_many_calls_at_once(
    live: Server, secret: str, agent_id: str
) -> None:
    async def write_together() -> tuple[list[int], int]:
        async with AsyncStateBase(api_key=secret, base_url=live.url) as client:
            made = await client.sessions.create(agent_id)
            answers = await asyncio.gather(
                *(
                    client.sessions.update_state(made.id, {f"key_{number}": number})
                    for number in range(20)
                )
            )
            head = await client.sessions.get_state(made.id)
        return [answer.version for answer in answers], len(head.state)

    versions, keys = asyncio.run(write_together())

    assert sorted(versions) == list(range(1, 21))
    assert keys == 20
