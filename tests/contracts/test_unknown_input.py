"""What a route does not take is refused by name, or named where that is asked for."""

from typing import Any

import pytest

from apps.accounts.models import Project
from apps.audit.models import Event
from apps.core import json
from tests.conftest import Answer
from tests.contracts.routes import (
    FREE_BODIES,
    RAW_BODIES,
    WITHOUT_KEYS,
    Route,
    api_routes,
    prepared,
)
from tests.contracts.world import World

pytestmark = pytest.mark.django_db

ROUTES = api_routes()
# Names of a free body are all known.
UNNAMED = FREE_BODIES | RAW_BODIES
NAMING = [route for route in ROUTES if str(route) not in UNNAMED]
WRITES = [
    route for route in NAMING if route.is_write and str(route) not in WITHOUT_KEYS
]
NAME = "invented"
LENIENT = {"Prefer": "handling=lenient"}


def each(routes: list[Route]) -> Any:
    return pytest.mark.parametrize("route", routes, ids=str)


def sent(
    route: Route,
    world: World,
    *,
    field: bool = False,
    parameter: bool = False,
    **headers: str,
) -> Answer:
    """Send the sample of a route, and beside it a name that nobody knows."""
    body, query = route.filled(world.parameters), route.query_of(world.parameters)
    if field:
        body = {**(body or {}), NAME: {"a": 1}}
    if parameter:
        query[NAME] = "1"
    client, path = world.client_for(route), route.path(world.parameters)
    return client.send(route.method, path, body, headers, query)


@each(NAMING)
@pytest.mark.parametrize("what", ["field", "parameter"])
def test_an_unknown_name_is_refused(
    what: str, route: Route, world: World, document: Any
) -> None:
    prepared(route, world)
    recorded = Event.objects.count()

    for key in ({}, {"Idempotency-Key": "once"}):
        answer = sent(route, world, **{what: True}, **key)

        assert (answer.status, answer.code) == (400, f"unknown_{what}")
        assert answer.param == NAME
        assert f"`{NAME}`" in answer.body["error"]["message"]
        document.check(route, answer)
    assert Event.objects.count() == recorded


@each(NAMING)
def test_it_is_ignored_and_named_where_that_is_asked_for(
    route: Route, world: World, document: Any
) -> None:
    prepared(route, world)

    answer = sent(route, world, field=True, **LENIENT)

    assert_named(answer, [NAME])
    assert answer.headers["Preference-Applied"] == "handling=lenient"
    document.check(route, answer)


@each(ROUTES)
def test_it_is_ignored_and_named_where_the_project_is_set_so(
    route: Route, world: World, document: Any
) -> None:
    prepared(route, world)
    Project.objects.filter(id=world.project.id).update(handling="lenient")

    answer = sent(route, world, parameter=True)

    assert_named(answer, [NAME])
    assert "Preference-Applied" not in answer.headers
    document.check(route, answer)
    strictly = sent(route, world, parameter=True, Prefer="handling=strict")
    assert (strictly.status, strictly.code) == (400, "unknown_parameter")


def assert_named(answer: Answer, names: list[str]) -> None:
    """Assert that an answer names what was ignored, where its body has place for it."""
    assert answer.status < 300, answer.content
    assert json.parse(answer.headers["Ignored-Input"].encode()) == names
    is_json = answer.headers.get("Content-Type") == "application/json"
    body = answer.body if answer.content and is_json else None
    if isinstance(body, dict):
        assert body["ignored"] == names
        assert "ignored_truncated" not in body


@each(WRITES)
def test_what_was_stored_before_is_answered_as_it_was(
    route: Route, world: World, document: Any
) -> None:
    """As after an update to a release that refuses what was taken before."""
    prepared(route, world)
    key = {"Idempotency-Key": "before"}
    first = sent(route, world, field=True, parameter=True, **key, **LENIENT)
    recorded = Event.objects.count()

    again = sent(route, world, field=True, parameter=True, **key)

    assert_named(first, [NAME])
    assert (again.status, again.content) == (first.status, first.content)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.headers["Ignored-Input"] == first.headers["Ignored-Input"]
    assert Event.objects.count() == recorded
    document.check(route, again)


@each(WRITES)
def test_a_key_that_was_used_for_something_else_is_told_first(
    route: Route, world: World
) -> None:
    prepared(route, world)
    key = {"Idempotency-Key": "used"}
    assert sent(route, world, **key).status < 300

    answer = sent(route, world, field=True, **key)

    assert (answer.status, answer.code) == (422, "idempotency_key_reused")


def test_a_list_that_begins_nowhere_is_refused(world: World, document: Any) -> None:
    lists = [route for route in ROUTES if document.takes(route, "starting_after")]
    answers = {}
    for route in lists:
        prepared(route, world)
        client, path = world.client_for(route), route.path(world.parameters)
        query = route.query_of(world.parameters) | {"starting_after": "elsewhere!"}
        answers[str(route)] = client.send(route.method, path, None, {}, query)

    refused = {name for name, answer in answers.items() if answer.status == 400}
    # Names and paths, of which any text is one.
    assert answers.keys() - refused == {
        "GET /v1/shared",
        "GET /v1/sessions/{session_id}/versions/{number}/files",
    }
    assert {answers[name].param for name in refused} == {"starting_after"}
