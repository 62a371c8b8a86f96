"""What the tests of the door share: the road through it, and a key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.wsgi import get_wsgi_application
from django.db import connection
from psycopg_pool import ConnectionPool

from apps.timeline.api.door import Door
from apps.timeline.api.door.reads import reading_cases
from apps.timeline.api.door.writes import writing_cases
from tests.timeline.door.road import Road
from tests.timeline.runs import Begin, Clients, Keys


@pytest.fixture
def pool(transactional_db: None) -> Iterator[ConnectionPool[Any]]:
    parameters = connection.get_connection_params() | {"autocommit": True}
    with ConnectionPool(kwargs=parameters, min_size=1, max_size=2, open=True) as pool:
        yield pool


@pytest.fixture
def road(pool: ConnectionPool[Any]) -> Road:
    passed: list[str] = []
    ordinary = get_wsgi_application()

    def passing(environ: Any, start_response: Any) -> Any:
        passed.append(environ["PATH_INFO"])
        return ordinary(environ, start_response)

    return Road(
        ordinary, Door(passing, [*reading_cases(pool), *writing_cases()]), passed
    )


@pytest.fixture
def secret(make_key: Keys) -> str:
    return make_key()


@pytest.fixture
def begin(api: Clients, secret: str, begin: Begin) -> Begin:
    """As everywhere, with the key that the door is asked with."""
    client = api(secret)
    return lambda state=None, **fields: begin(state, client=client, **fields)
