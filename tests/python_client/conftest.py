"""A real server, a key of a project of its own, and both of our clients."""

from __future__ import annotations

import asyncio
import functools
import inspect
import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from stepback import AsyncStepback, Stepback
from tests.live import Server

_numbers = itertools.count(1)


class Finished:
    """The asynchronous client, or a part of it, whose calls are finished on return."""

    def __init__(self, part: object, runner: asyncio.Runner) -> None:
        self._part = part
        self._runner = runner

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._part, name)
        if callable(found):
            return functools.partial(self._finish, found)
        is_ours = type(found).__module__.startswith("stepback.")
        return Finished(found, self._runner) if is_ours else found

    def _finish(self, method: Any, /, *given: Any, **named: Any) -> Any:
        answer = method(*given, **named)
        if hasattr(answer, "__aenter__"):
            return Entered(answer, self._runner)
        return self._runner.run(answer) if inspect.iscoroutine(answer) else answer


class Entered:
    """What `async with` takes, for `with`."""

    def __init__(self, operation: Any, runner: asyncio.Runner) -> None:
        self._operation = operation
        self._runner = runner

    def __enter__(self) -> Any:
        return self._runner.run(self._operation.__aenter__())

    def __exit__(self, *raised: Any) -> Any:
        return self._runner.run(self._operation.__aexit__(*raised))


@pytest.fixture(scope="session")
def secret(live: Server) -> str:
    return live.key("stepback-client")


@pytest.fixture(params=["sync", "async"])
def connect(request: pytest.FixtureRequest, live: Server, secret: str) -> Iterator[Any]:
    """`connect(...)` is a client; its options are the constructor's."""
    with asyncio.Runner() as runner:
        opened = []

        def open_with(**options: Any) -> Any:
            given = {"api_key": secret, "base_url": live.url} | options
            if request.param == "sync":
                opened.append(Stepback(**given))
                return opened[-1]
            opened.append(AsyncStepback(**given))
            return Finished(opened[-1], runner)

        yield open_with
        for client in opened:
            if isinstance(client, Stepback):
                client.close()
            else:
                runner.run(client.aclose())


@pytest.fixture
def sb(connect: Any) -> Any:
    return connect()


@pytest.fixture
def agent_id() -> str:
    """An agent that no other test has sessions of."""
    return f"client-agent-{next(_numbers)}"


@pytest.fixture
def session(sb: Any, agent_id: str) -> Any:
    """A session whose versions 0 to 5 counted."""
    made = sb.sessions.create(agent_id=agent_id, initial_state={"n": 0})
    for number in range(1, 6):
        sb.sessions.update_state(made.id, {"n": number})
    return made
