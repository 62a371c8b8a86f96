"""Every write can be repeated: the same key does it once and answers the same."""

from typing import Any

import pytest

from apps.audit.models import Event
from tests.contracts.routes import WITHOUT_KEYS, Route, api_routes, prepared
from tests.contracts.world import World

pytestmark = pytest.mark.django_db

WRITES = [
    route for route in api_routes() if route.is_write and str(route) not in WITHOUT_KEYS
]


@pytest.mark.parametrize("route", WRITES, ids=str)
def test_a_repeated_write_is_done_once(
    route: Route, world: World, document: Any
) -> None:
    prepared(route, world)
    key = {"Idempotency_Key": "retry-1"}
    first = route.call(world.client_for(route), world.parameters, **key)
    recorded = Event.objects.count()

    again = route.call(world.client_for(route), world.parameters, **key)

    assert first.status < 300, first.content
    assert (again.status, again.content) == (first.status, first.content)
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    assert Event.objects.count() == recorded
    document.check(route, again)


@pytest.mark.parametrize("route", WRITES, ids=str)
def test_the_document_names_the_key(route: Route, document: Any) -> None:
    parameters = document.operations()[str(route)].get("parameters", [])

    assert ("header", "Idempotency-Key") in {(p["in"], p["name"]) for p in parameters}


@pytest.mark.parametrize("route", [route for route in WRITES if route.body], ids=str)
def test_another_body_under_the_same_key_is_refused(
    route: Route, world: World, document: Any
) -> None:
    prepared(route, world)
    key = {"Idempotency_Key": "retry-1"}
    route.call(world.client_for(route), world.parameters, **key)
    other = {
        **route.filled(world.parameters),
        "metadata": {"another": "body"},
        "trace_id": "another",
    }

    path = route.path(world.parameters)
    answer = world.client_for(route).send(route.method, path, other, key)

    assert (answer.status, answer.code) == (422, "idempotency_key_reused")
    assert answer.param == "Idempotency-Key"
    document.check(route, answer)
