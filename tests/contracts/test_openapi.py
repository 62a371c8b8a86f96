"""The OpenAPI document describes what is answered: all of it, and nothing else."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from tests.contracts.document import BINARY, FILES
from tests.contracts.routes import (
    BODIES,
    QUERIES,
    RAW_BODIES,
    Route,
    api_routes,
    prepared,
)
from tests.contracts.world import World

pytestmark = pytest.mark.django_db
ROUTES = api_routes()
# What agents put there themselves, and what differs from case to case.
OPEN_OBJECTS = {
    "arguments",
    "schema",
    "approval",
    "state",
    "data",
    "updates",
    "initial_state",
    "state_before",
    "state_after",
    "metadata",
    "check",
    "config",
    "policies",
    "floor",
    "audit",
    "details",
    "input",
    "output",
    "tool_results",
    "model_params",
    "values",
}
OPEN_LISTS = {"messages", "tasks", "artifacts", "facts"}
ANYTHING = {
    *("arguments", "before", "after", "value", "content_json", "result"),
    *("task", "next_task", "was", "now"),
    # Of a migration's steps: any value for any other.
    *("from", "to", "else"),
}
# What is no memory is told as refused, whatever it is.
OPEN_ITEMS = {"ImportMemoriesRequest.memories[]", "ImportMemoriesRequest.results[]"}


def each(routes: list[Route]) -> Any:
    return pytest.mark.parametrize("route", routes, ids=str)


def test_it_is_valid_openapi_3_1_made_without_a_warning(tmp_path: Path) -> None:
    target = tmp_path / "openapi.json"

    call_command(
        "spectacular",
        "--validate",
        "--fail-on-warn",
        "--format=openapi-json",
        f"--file={target}",
    )

    assert b'"openapi": "3.1.0"' in target.read_bytes()


@pytest.mark.parametrize("path", ["/openapi.json", "/docs"])
def test_it_is_served_to_anybody(path: str, client: Client) -> None:
    response = client.get(path)

    assert response.status_code == 200
    assert "stepback_session" not in response.cookies


def test_the_page_runs_local_files_alone(client: Client) -> None:
    response = client.get("/docs")
    page = response.content.decode()

    assert "script-src 'self'" in response["Content-Security-Policy"]
    assert "http:" not in page
    assert "https:" not in page
    assert "<style" not in page
    assert "<script>" not in page
    assert "swagger-ui-bundle.js" in page


def test_every_route_of_the_api_stands_in_it(document: Any) -> None:
    assert {str(route) for route in ROUTES} == set(document.operations())


def test_every_operation_says_what_it_does(document: Any) -> None:
    operations = document.operations()
    silent = [name for name, told in operations.items() if not told["summary"].strip()]
    names = [told["operationId"] for told in operations.values()]

    assert silent == []
    assert len(names) == len(set(names))


def test_every_parameter_says_what_it_is(document: Any) -> None:
    silent = [
        f"{name}: {parameter['name']}"
        for name, told in document.operations().items()
        for parameter in told.get("parameters", [])
        if not parameter.get("description")
    ]

    assert silent == []


def test_either_header_takes_the_key(document: Any) -> None:
    for told in document.operations().values():
        assert told["security"] == [{"ApiKey": []}, {"Bearer": []}]


def test_every_answer_is_typed(document: Any) -> None:
    for name, told in document.operations().items():
        for status, answer in told["responses"].items():
            assert answer["description"], f"{name} {status}"
            if status in ("204", "304"):
                assert "content" not in answer, f"{name} {status}"
            elif set(answer["content"]) <= set(FILES):
                for media, file in answer["content"].items():
                    assert file["schema"] == FILES[media], f"{name} {status}"
            else:
                schema = answer["content"]["application/json"]["schema"]
                if schema.get("type") == "array":
                    schema = schema["items"]
                assert set(schema) == {"$ref"}, f"{name} {status}"
                is_error = schema["$ref"].endswith("/Error")
                assert is_error == (int(status) >= 400), f"{name} {status}"


# What takes a patch as its body, too.
PATCHED = {"PATCH /v1/sessions/{session_id}/state"}


def test_every_body_that_is_taken_is_typed(document: Any) -> None:
    operations = document.operations()
    taking = {name for name, told in operations.items() if "requestBody" in told}
    sampled = {name for name, body in BODIES.items() if body is not None}

    assert taking == sampled
    for name in taking:
        media = operations[name]["requestBody"]["content"]
        if name in RAW_BODIES:
            assert media == {"application/octet-stream": {"schema": BINARY}}, name
            continue
        patched = media.pop("application/json-patch+json", None)
        assert (patched is not None) == (name in PATCHED), name
        assert list(media) == ["application/json"], name
        assert "$ref" in media["application/json"]["schema"], name


def test_only_what_callers_fill_is_untyped(document: Any) -> None:
    assert list(untyped(document.raw["components"]["schemas"])) == []


def test_an_untyped_property_would_be_found() -> None:
    bad = {
        "A": {"type": "object", "properties": {"b": {"type": "object"}}},
        "C": {"type": "object"},
        "D": {"type": "object", "properties": {"e": {"type": "array", "items": {}}}},
        "F": {"type": "object", "properties": {"g": {}}},
        "H": {"oneOf": [{"type": ["object", "null"], "additionalProperties": {}}]},
    }

    assert list(untyped(bad)) == ["A.b", "C", "D.e", "F.g", "H"]


def untyped(schemas: dict[str, Any]) -> Iterator[str]:
    """Return the places of objects, lists and values that say nothing."""
    for name, schema in schemas.items():
        yield from _untyped(schema, name, "")


def _untyped(schema: dict[str, Any], place: str, name: str) -> Iterator[str]:
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    told = {"$ref", "type", "oneOf", "anyOf", "allOf", "enum", "const"} & schema.keys()
    if not told and name not in ANYTHING and place not in OPEN_ITEMS:
        yield place
    named = schema.get("properties") or schema.get("additionalProperties")
    if "object" in kinds and not named and name not in OPEN_OBJECTS:
        yield place
    if "array" in kinds and not schema.get("items") and name not in OPEN_LISTS:
        yield place
    elif schema.get("items"):
        yield from _untyped(schema["items"], f"{place}[]", "")
    for key, child in _children(schema).items():
        yield from _untyped(child, f"{place}.{key}", key)
    for word in ("oneOf", "anyOf", "allOf"):
        for child in schema.get(word, []):
            yield from _untyped(child, place, name)


def _children(schema: dict[str, Any]) -> dict[str, Any]:
    """Return what an object holds, under `*` what may have any name."""
    others = schema.get("additionalProperties")
    return dict(schema.get("properties", {})) | ({"*": others} if others else {})


@each(ROUTES)
def test_what_is_answered_is_what_is_described(
    route: Route, world: World, document: Any
) -> None:
    answer = prepared(route, world).call(world.client_for(route), world.parameters)

    assert answer.status < 300, answer.content
    document.check(route, answer)


VARIANTS = [
    ("/v1/sessions", {"limit": "1"}),
    ("/v1/sessions", {"forked_from": "{session_id}"}),
    ("/v1/agents", {"limit": "1", "status": "active"}),
    ("/v1/sessions/{session_id}/versions", {"include_state": "true", "order": "asc"}),
    ("/v1/sessions/{session_id}/state/history", {"include_state": "false"}),
    ("/v1/sessions/{session_id}/history", {"include_traces": "false", "limit": "2"}),
    ("/v1/sessions/{session_id}/checkpoint", {"version": "0"}),
    ("/v1/sessions/{session_id}/changes", {"from": "2", "to": "0"}),
    ("/v1/sessions/{session_id}/changes", {"from": "0", "format": "patch"}),
    ("/v1/sessions/{session_id}/divergence", {"other": "{session_id}"}),
    (
        "/v1/sessions/{session_id}/check",
        {"check": "state.step>was.step", "version": "1"},
    ),
    ("/v1/traces", {"action": "state.rolled_back"}),
    ("/v1/traces", {"resource_type": "agent"}),
]


@pytest.mark.parametrize(("pattern", "query"), VARIANTS)
def test_what_is_answered_otherwise_is_described_too(
    pattern: str, query: dict[str, str], world: World, document: Any
) -> None:
    route = next(one for one in ROUTES if str(one) == f"GET {pattern}")
    wanted = {name: text.format(**world.parameters) for name, text in query.items()}

    answer = world.client.get(route.path(world.parameters), wanted)

    assert answer.status == 200, answer.content
    document.check(route, answer)


def test_a_state_that_did_not_change_has_no_body(world: World, document: Any) -> None:
    route = next(one for one in ROUTES if str(one).endswith("{session_id}/state"))
    tag = world.client.get(f"{world.session}/state").headers["ETag"]

    answer = world.client.send(
        "GET", f"{world.session}/state", headers={"If-None-Match": tag}
    )

    assert answer.status == 304
    document.check(route, answer)


WRITES = [route for route in ROUTES if route.is_write]
TAKING = [route for route in WRITES if BODIES.get(str(route))]


@each(TAKING)
def test_a_refused_body_is_described(route: Route, world: World, document: Any) -> None:
    path = route.path(world.parameters)

    for body in (b'{"a":', b"[]", b'{"state":{"a":1e400}}'):
        answer = world.client_for(route).send(route.method, path, body)

        assert answer.status in (400, 422), answer.content
        document.check(route, answer)


@each([route for route in WRITES if "/state" in str(route) or "turns" in str(route)])
@pytest.mark.parametrize(("tag", "status"), [('"v0"', 412), ("v", 400)])
def test_a_stale_head_is_described(
    route: Route, tag: str, status: int, world: World, document: Any
) -> None:
    answer = route.call(world.client_for(route), world.parameters, If_Match=tag)

    assert answer.status == status, answer.content
    document.check(route, answer)


@each([route for route in WRITES if "{session_id}" in str(route)])
def test_a_closed_session_refuses_as_described(
    route: Route, world: World, document: Any
) -> None:
    world.client.post(f"{world.session}/close")

    answer = route.call(world.client_for(route), world.parameters)

    assert answer.status in (200, 201, 204, 409), answer.content
    document.check(route, answer)


@each([route for route in ROUTES if route.method == "GET"])
def test_a_bad_query_is_refused_as_described(
    route: Route, world: World, document: Any
) -> None:
    path = route.path(world.parameters)

    answer = world.client_for(route).get(
        path, {**QUERIES.get(str(route), {}), "limit": "\0"}
    )

    assert answer.status == 400, answer.content
    document.check(route, answer)


@pytest.mark.parametrize("query", ["S>1", "agnet:a", '"'])
def test_a_search_that_cannot_be_read_is_refused_as_described(
    world: World, document: Any, query: str
) -> None:
    (route,) = [one for one in ROUTES if str(one) == "GET /v1/search"]

    answer = world.client_for(route).get("/v1/search", {"q": query})

    assert answer.status == 400, answer.content
    assert {"position", "suggestion"} <= answer.body["error"].keys()
    document.check(route, answer)


def test_a_taken_name_is_refused_as_described(world: World, document: Any) -> None:
    (route,) = [one for one in ROUTES if str(one) == "POST /v1/agents"]

    answer = world.client.post(route.pattern, {"external_id": "billing"})

    assert answer.status == 409, answer.content
    document.check(route, answer)
