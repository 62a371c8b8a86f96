"""Who decides: two operators and an administrator; and the agent's session."""

from typing import Any

import pytest

from apps.accounts.models import Project, Role, User
from tests.accounts.make import make_member
from tests.timeline import runs

CLAIM = {"claim": {"amount": 249, "flight": "XQ417"}, "step": "refund"}


@pytest.fixture
def run(api: runs.Clients) -> runs.Run:
    """A session with two versions, 0 and 1."""
    made = runs.begin(api(), CLAIM)
    made.patch({"step": "ask"})
    return made


@pytest.fixture
def olga(project: Project) -> User:
    return make_member(project, "olga", Role.OPERATOR)


@pytest.fixture
def dana(project: Project) -> User:
    return make_member(project, "dana", Role.OPERATOR)


@pytest.fixture
def ada(project: Project) -> User:
    return make_member(project, "ada", Role.ADMIN)


@pytest.fixture
def stranger(api: runs.Clients, make_key: Any, other_project: Project) -> Any:
    """A client of another project."""
    return api(make_key(project=other_project))


@pytest.fixture
def begin_other(api: runs.Clients) -> runs.Run:
    """Another session of the agent."""
    return runs.begin(api(), CLAIM)
