"""What the tests of the door share: the road through it, and a key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from psycopg_pool import ConnectionPool

from apps.timeline.api.door.acting import acting_cases
from apps.timeline.api.door.reads import reading_cases
from apps.timeline.api.door.writes import writing_cases
from tests.timeline.door.road import Road, connections_of_door, road_through
from tests.timeline.runs import Begin, Clients, Keys


@pytest.fixture(autouse=True)
def _the_connection_is_kept() -> Iterator[None]:
    """Have the ordinary application keep its connection, as with Django's client.

    It closed it behind each request: 1,300 new ones, more than half of what the
    database had to do for these tests.
    """
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.fixture
def pool(transactional_db: None) -> Iterator[ConnectionPool[Any]]:
    with connections_of_door() as pool:
        yield pool


@pytest.fixture
def road(pool: ConnectionPool[Any]) -> Road:
    return road_through([*reading_cases(pool), *writing_cases(), *acting_cases()])


@pytest.fixture
def secret(make_key: Keys) -> str:
    return make_key()


@pytest.fixture
def begin(api: Clients, secret: str, begin: Begin) -> Begin:
    """As everywhere, with the key that the door is asked with."""
    client = api(secret)
    return lambda state=None, **fields: begin(state, client=client, **fields)
