"""What the races share: a key, lines to the real server, and what it stored."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import psycopg
import pytest

from tests.live import Server
from tests.races.traffic import Line


@pytest.fixture(scope="session")
def secret(live: Server) -> str:
    return live.key("races")


@pytest.fixture
def lines(live: Server, secret: str) -> Iterator[Callable[[int], list[Line]]]:
    """`lines(100)` are as many clients, each with a connection of its own."""
    with ExitStack() as opened:
        yield lambda count: [
            opened.enter_context(closing(Line(live.url, secret))) for _ in range(count)
        ]


@pytest.fixture
def line(lines: Callable[[int], list[Line]]) -> Line:
    return lines(1)[0]


@pytest.fixture
def database(live: Server) -> Iterator[psycopg.Connection]:
    """What the server stored."""
    with psycopg.connect(live.dsn, autocommit=True) as connection:
        yield connection


@pytest.fixture
def start(line: Line) -> Callable[..., str]:
    """`start({"n": 0})` makes a session with that state and returns its id."""

    def make(state: dict[str, object] | None = None) -> str:
        made = line.post(
            "/v1/sessions", {"agent_id": "racer", "initial_state": state or {}}
        )
        assert made.status == 201, made.content
        return str(made.body["id"])

    return make
