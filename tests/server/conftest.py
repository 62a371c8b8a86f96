"""A front between doubles, for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from apps.server.front.asgi import Front
from tests.server.asking import LARGEST, Application, Visitors


@pytest.fixture
def application() -> Iterator[Application]:
    made = Application()
    yield made
    made.free.set()


@pytest.fixture
def visitors() -> Visitors:
    return Visitors()


@pytest.fixture
def front(application: Application, visitors: Visitors) -> Front:
    return Front(application, largest=LARGEST, visitors=visitors)
