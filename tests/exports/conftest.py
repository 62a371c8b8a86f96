"""An administrator, the worker that makes exports with its own rights, and a store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Scope
from apps.core.roles.names import Role
from apps.exports import making
from tests.acting import acting_as
from tests.conftest import Api


@pytest.fixture(autouse=True)
def store(tmp_path: Path, settings: Any) -> Path:
    """The folder of the store, this test's own."""
    settings.OBJECTS = str(tmp_path / "objects")
    return tmp_path / "objects"


@pytest.fixture
def admin(api: Any, make_key: Any) -> Api:
    return api(make_key(scope=Scope.ADMIN))


@pytest.fixture
def sweep() -> Callable[[], None]:
    """`sweep()` goes on with what is to be made."""

    def run() -> None:
        with acting_as(Role.WORKER):
            making.sweep(now=timezone.now())

    return run
