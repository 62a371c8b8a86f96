"""What the tests of the timeline's API share: a run, made by one call."""

from typing import Any

import pytest

from tests.timeline import runs


@pytest.fixture
def begin(api: runs.Clients) -> runs.Begin:
    """`begin(state, ...)` starts a session; `client=` takes another client than ours.

    All sessions of a test share one key unless it says otherwise.
    """
    ours = api()

    def make(state: Any = None, *, client: Any = ours, **fields: Any) -> runs.Run:
        return runs.begin(client, state, **fields)

    return make


@pytest.fixture
def run(begin: runs.Begin) -> runs.Run:
    """A session of the agent `travel` with three versions: 0, 1 and 2."""
    made = begin({"step": 0, "city": "Rome"})
    made.patch({"step": 1})
    made.patch({"step": 2, "city": "NYC"})
    return made
