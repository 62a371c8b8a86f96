"""An administrator's key, and a run whose state is of the first schema."""

from typing import Any

import pytest

from apps.accounts.models import Scope
from tests.schemas.make import FIRST
from tests.timeline import runs


@pytest.fixture
def admin(api: Any, make_key: Any) -> Any:
    return api(make_key(scope=Scope.ADMIN))


@pytest.fixture
def run(api: runs.Clients) -> runs.Run:
    """A session of one version."""
    return runs.begin(api(), FIRST, schema_version="1.0.0")


@pytest.fixture
def stranger(api: runs.Clients, make_key: Any, other_project: Any) -> Any:
    """A client of another project."""
    return api(make_key(project=other_project))
