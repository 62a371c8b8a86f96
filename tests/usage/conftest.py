"""A session that spends, who administers, and who decides."""

from typing import Any

import pytest

from apps.accounts.models import Project, Role, Scope, User
from tests.accounts.make import make_member
from tests.timeline import runs


@pytest.fixture
def run(api: runs.Clients) -> runs.Run:
    return runs.begin(api(), {"step": "begin"})


@pytest.fixture
def admin(api: runs.Clients, make_key: Any) -> Any:
    """A client with an administrator's key."""
    return api(make_key(scope=Scope.ADMIN))


@pytest.fixture
def ada(project: Project) -> User:
    return make_member(project, "ada", Role.ADMIN)
