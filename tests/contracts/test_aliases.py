"""Anchor's routes are served without /v1 as they are below it, and no page is there."""

import re
from typing import Any

import pytest
from django.test import Client

from apps.core.processes.addresses import ANCHOR, is_anchors, is_api
from tests.conftest import Answer, Api
from tests.contracts.routes import (
    UNKNOWN,
    Route,
    aliased_routes,
    api_routes,
    page_routes,
)
from tests.contracts.world import World

pytestmark = pytest.mark.django_db
ALIASES = aliased_routes()
AGO = re.compile(r"\d+ (?:s|min) ago")
# Below /v1 only: they are ours, and no client of Anchor's knows them.
OURS = {
    "GET /v1/agents/{reference}/mapping",
    "PUT /v1/agents/{reference}/mapping",
    "GET /v1/agents/{agent}/advice",
    "GET /v1/agents/{agent}/results",
    "POST /v1/agents/{agent}/results/forget",
    "GET /v1/agents/{agent}/approval-rules",
    "POST /v1/agents/{agent}/approval-rules",
    "DELETE /v1/agents/{agent}/approval-rules/{approval_rule_id}",
    "GET /v1/agents/{agent}/heartbeat",
    "PUT /v1/agents/{agent}/heartbeat",
    "DELETE /v1/agents/{agent}/heartbeat",
    "GET /v1/agents/{agent}/schemas",
    "POST /v1/agents/{agent}/schemas",
    "GET /v1/agents/{agent}/schemas/{schema_id}",
    "DELETE /v1/agents/{agent}/schemas/{schema_id}",
    "GET /v1/agents/{agent}/migrations",
    "POST /v1/agents/{agent}/migrations",
    "GET /v1/agents/{agent}/migrations/{migration_id}",
    "DELETE /v1/agents/{agent}/migrations/{migration_id}",
}


def each(routes: list[Route]) -> Any:
    return pytest.mark.parametrize("route", routes, ids=str)


def below_v1(route: Route) -> Route:
    return Route(route.method, f"/v1{route.pattern}", route.parameters)


def told(answer: Answer) -> tuple[int, Any]:
    """Return an answer, without what differs for every request."""
    body = answer.body
    if "error" in body:
        body["error"].pop("request_id")
    # Each read of an agent's data is an operation of its own in its audit.
    for part in (body, body.get("entry", {})):
        part.pop("audit_id", None)
    return answer.status, body


def test_every_route_of_anchors_is_there_twice() -> None:
    anchors = {str(route) for route in api_routes() if is_anchors(route.pattern)}

    assert {str(below_v1(route)) for route in ALIASES} == anchors - OURS


def test_no_page_begins_with_a_name_of_the_api() -> None:
    names = {pattern.split("/")[1] for pattern, _ in page_routes()}

    assert names & (ANCHOR | {"v1"}) == set()


@pytest.mark.parametrize(
    ("path", "api", "anchors"),
    [
        ("/v1/agents/a", True, True),
        ("/agents", True, True),
        ("/v1/sessions", True, False),
        ("/v1", True, False),
        ("/agentsandmore", False, False),
        ("/v1agents", False, False),
        ("/v12/agents", False, False),
        ("/console/demo/agents", False, False),
        ("/", False, False),
        ("", False, False),
    ],
)
def test_an_address_is_known_by_its_first_name(
    path: str, api: bool, anchors: bool
) -> None:
    assert (is_api(path), is_anchors(path)) == (api, anchors)


@each(ALIASES)
def test_it_is_closed_to_who_has_no_key(route: Route) -> None:
    answer = route.call(Api(None), UNKNOWN)

    assert (answer.status, answer.code) == (401, "authentication_failed")
    assert told(answer) == told(below_v1(route).call(Api(None), UNKNOWN))


@each([route for route in ALIASES if not route.is_write])
def test_it_reads_alike(route: Route, world: World) -> None:
    client = world.client_for(below_v1(route))

    answer = route.call(client, world.parameters)

    assert answer.status == 200
    again = below_v1(route).call(client, world.parameters)
    assert _timeless(answer) == _timeless(again)
    # As on every answer of the API.
    assert answer.headers["X-RateLimit-Limit"]
    assert answer.headers["X-StateBase-Latency"]


def _timeless(answer: Answer) -> Any:
    """Return what was told, but when it was, and how long ago another thing was."""
    status, body = told(answer)
    told_then = {name: one for name, one in body.items() if name != "verified_at"}
    if message := body.get("signatures", {}).get("message"):
        told_then["signatures"]["message"] = AGO.sub("some time ago", message)
    return status, told_then


@each([route for route in ALIASES if route.parameters])
def test_a_stranger_finds_nothing(route: Route, world: World) -> None:
    answer = route.call(world.stranger(), world.parameters)

    assert answer.status == 404
    assert {"code", "message", "param", "field"} <= set(answer.body)


def test_a_write_needs_no_token_of_a_form() -> None:
    client = Client(enforce_csrf_checks=True)

    answer = client.post("/agents", "{}", content_type="application/json")

    assert answer.status_code == 401


@pytest.mark.parametrize(
    ("path", "status"),
    [("/agents", 401), ("/agents/", 404), ("/v1/agents/", 404), ("/auth/nothing", 404)],
)
def test_an_error_has_its_message_at_the_top(path: str, status: int) -> None:
    answer = Client().get(path)
    body = answer.json()

    assert answer.status_code == status
    assert body["message"] == body["error"]["message"]
    assert (body["code"], body["field"]) == (body["error"]["code"], body["param"])
    assert "blocked_by" not in body
