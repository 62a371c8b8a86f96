"""A session whose agent has guards, and who administers them."""

from typing import Any

import pytest

from apps.accounts.models import Project, Role, Scope, User
from tests.accounts.make import make_member
from tests.guards.make import TRIP
from tests.timeline import runs


@pytest.fixture
def admin(api: runs.Clients, make_key: Any) -> Any:
    """A client with an administrator's key."""
    return api(make_key(scope=Scope.ADMIN))


@pytest.fixture
def run(api: runs.Clients) -> runs.Run:
    return runs.begin(api(), TRIP)


@pytest.fixture
def stranger(api: runs.Clients, make_key: Any, other_project: Any) -> Any:
    """A client of another project."""
    return api(make_key(scope=Scope.ADMIN, project=other_project))


@pytest.fixture
def ada(project: Project) -> User:
    return make_member(project, "ada", Role.ADMIN)
