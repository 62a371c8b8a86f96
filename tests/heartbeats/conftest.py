"""A session that is expected to write, and a sweep at any moment."""

from typing import Any

import pytest

from tests.timeline import runs


@pytest.fixture
def run(api: runs.Clients) -> runs.Run:
    return runs.begin(api(), {"a": 1})


@pytest.fixture
def admin(api: runs.Clients, make_key: Any) -> Any:
    return api(make_key("admin"))
