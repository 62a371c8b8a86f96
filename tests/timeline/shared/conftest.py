"""A blackboard, and keys of two agents that share it."""

from typing import Any

import pytest

from tests.timeline import runs
from tests.timeline.shared.board import Board


@pytest.fixture
def board(api: runs.Clients) -> Board:
    return Board(api(), "public/plan")


@pytest.fixture
def limited(api: runs.Clients, make_key: Any) -> Any:
    """Make the board of a key that is limited to one agent."""

    def make(agent: str, name: str = "public/plan") -> Board:
        return Board(api(make_key(agents=[agent])), name)

    return make
