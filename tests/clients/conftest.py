"""A real server, a key of a project of its own, and both clients of the SDK."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from statebase import AsyncStateBase, StateBase  # type: ignore[import-untyped]

from tests.clients.sdk import Finished
from tests.live import Server

# Its assertions are told in full, as those of a test module are.
pytest.register_assert_rewrite("tests.clients.calls")

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def secret(live: Server) -> str:
    """A write key of the project that these tests are about."""
    return live.key("travel")


@pytest.fixture(scope="session")
def rest(live: Server, secret: str) -> Iterator[httpx.Client]:
    """The API without the SDK, for what the SDK cannot say or does not show."""
    with live.client(secret) as client:
        yield client


@pytest.fixture(params=[StateBase, AsyncStateBase])
def connect(
    request: pytest.FixtureRequest, live: Server
) -> Iterator[Callable[[str], Any]]:
    """`connect(key)` is a client of the SDK, synchronous in one run, then not."""
    opened = []
    with asyncio.Runner() as runner:

        def open_with(key: str) -> Any:
            client = request.param(api_key=key, base_url=live.url)
            opened.append(Finished(client, runner))
            return opened[-1]

        yield open_with
        for client in opened:
            client.close()


@pytest.fixture
def sdk(connect: Callable[[str], Any], secret: str) -> Any:
    return connect(secret)


@pytest.fixture
def agent_id() -> str:
    """An agent that no other test has sessions of."""
    return f"travel-agent-{next(_numbers)}"


@pytest.fixture
def begin(sdk: Any, agent_id: str) -> Callable[..., str]:
    """`begin(v0, v1, ...)` is the id of a session whose versions were these states."""

    def start(first: dict[str, Any] | None = None, *then: dict[str, Any]) -> str:
        session = sdk.sessions.create(agent_id=agent_id, initial_state=first or {})
        for state in then:
            sdk.sessions.update_state(session_id=session.id, state=state)
        return str(session.id)

    return start


@pytest.fixture
def history(rest: httpx.Client) -> Callable[[str], list[dict[str, Any]]]:
    """`history(session_id)` is every version with its state, oldest first."""

    def read(session_id: str) -> list[dict[str, Any]]:
        answer = rest.get(f"/v1/sessions/{session_id}/state/history")
        assert not answer.json()["has_more"]
        return list(answer.json()["data"])

    return read
