"""An administrator, a journal of its own, and the sweep as retention runs it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Scope
from apps.core.notes.signed import SigningKey
from apps.core.roles.names import Role
from apps.erasures import running
from tests.acting import acting_as
from tests.conftest import Api
from tests.erasures.leaving import erased

NAME = "stepback/test"


@pytest.fixture
def admin(api: Any, make_key: Any) -> Api:
    return api(make_key(scope=Scope.ADMIN))


@pytest.fixture(autouse=True)
def journal(tmp_path: Path, settings: Any) -> Path:
    """The folder of a journal; who appends to it signs, and is believed."""
    key = SigningKey.made(NAME)
    settings.ERASURES = tmp_path / "erasures"
    settings.SIGNING_KEY = key.secret()
    settings.VERIFIER_KEY = str(key.verifier)
    return settings.ERASURES


@pytest.fixture
def sweep() -> Callable[[], int]:
    """`sweep()` does what is to be erased, with the rights of retention."""

    def run() -> int:
        with acting_as(Role.RETENTION):
            return running.sweep(now=timezone.now())

    return run


@pytest.fixture
def erase(admin: Api, sweep: Callable[[], int]) -> Callable[..., Any]:
    """`erase(user_id="ann")` erases to the end and returns the erasure."""

    def run(**whose: str) -> Any:
        return erased(admin, sweep, **whose)

    return run
