"""Every route of the API against every key that must not open it.

The routes come from the URL resolver: a new one is in the matrix at once. What a
stranger is told must not depend on whether a thing exists.
"""

from typing import Any

import pytest
from django.db import connection
from django.test import Client

from apps.accounts import operations as accounts
from apps.accounts.models import ApiKey
from tests.acts import act_by
from tests.conftest import Answer, Api
from tests.contracts.routes import UNKNOWN, Route, api_routes, page_routes, prepared
from tests.contracts.world import World

pytestmark = pytest.mark.django_db

ROUTES = api_routes()
# A root is of the whole installation: leaves of others are hashes (tests/witness).
OF_ALL = ("/v1/roots", "/v1/roots/key", "/v1/roots/{root_number}")
# Whose bytes they are is in their digest; `tests/blobs` looks at who may name them.
# Who writes a name makes it; `tests/timeline/shared/test_access.py` looks at whose.
SHARED = "/v1/shared/{name}"
# As the one before: all of a project may read them.
ALL_SHARED = "/v1/shared"
BY_CONTENT = "/v1/blobs/{sha256}"
OF_ONE = [
    route
    for route in ROUTES
    if route.parameters
    and route.pattern not in (*OF_ALL, BY_CONTENT)
    and not route.pattern.startswith(SHARED)
]
# What answers sums; `tests/metrics` holds them to whom they are of.
SUMS = ("/v1/metrics/summary", "/v1/dashboard/stats")
# What answers the caller's own project; `tests/agents/test_project.py` and
# `tests/agents/test_workspaces.py` look at whose.
OWN = (
    *("/v1/project", "/v1/project/policies", "/v1/masks"),
    *("/v1/workspaces", "/v1/auth/me"),
)
# An array, as the contract has it; `tests/agents/test_keys.py` looks at whose.
ARRAYS = ("/v1/dashboard/keys",)
LISTS = [
    route
    for route in ROUTES
    if route.method == "GET"
    and not route.parameters
    and route.pattern not in (*SUMS, *ARRAYS, *OWN, *OF_ALL, ALL_SHARED)
]
# Addresses outside the API that anybody may open.
PUBLIC = {
    "/",
    "/health",
    "/health/ready",
    "/health/live",
    # With a token of its own; without one there is nothing.
    "/metrics",
    "/openapi.json",
    "/docs",
    "/signin",
    "/signin/{token}",
    "/signout",
    "/password/{token}",
    "/invitation/{token}",
    # What is signed opens a file for 15 minutes; else there is nothing.
    "/exports/{token}",
}


def each(routes: list[Route]) -> Any:
    return pytest.mark.parametrize("route", routes, ids=str)


def told(answer: Answer) -> tuple[int, Any]:
    """Return what an error says, without what differs for every request."""
    body = answer.body
    body["error"].pop("request_id")
    return answer.status, body


@each(ROUTES)
def test_nobody_gets_in_without_a_key(route: Route, document: Any) -> None:
    answer = route.call(Api(None), UNKNOWN)

    assert_unknown_caller(route, answer, document)


@each(ROUTES)
def test_nobody_learns_without_a_key_what_an_address_takes(route: Route) -> None:
    for method in ("HEAD", "OPTIONS", "TRACE"):
        answer = Api(None).send(method, route.path(UNKNOWN))

        assert answer.status == 401


@each(ROUTES)
def test_nobody_gets_in_with_a_wrong_key(route: Route, document: Any) -> None:
    for secret in ("sb_" + "0" * 43, "nonsense", "sb_\u00e9"):
        answer = route.call(Api(secret), UNKNOWN)

        assert_unknown_caller(route, answer, document)


@each(ROUTES)
def test_nobody_gets_in_with_a_revoked_key(
    route: Route, world: World, document: Any
) -> None:
    reader = world.reader()
    accounts.revoke_key(
        project=world.project,
        key_id=ApiKey.objects.in_project(world.project.id).get(scope="read").id,
        act=act_by(),
    )

    answer = route.call(reader, world.parameters)

    assert_unknown_caller(route, answer, document)


def assert_unknown_caller(route: Route, answer: Answer, document: Any) -> None:
    assert (answer.status, answer.code) == (401, "authentication_failed")
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="api"'
    document.check(route, answer)


@each(ROUTES)
def test_a_read_only_key_reads_and_writes_nothing(
    route: Route, world: World, document: Any
) -> None:
    prepared(route, world)
    before = everything(world)

    answer = route.call(world.reader(), world.parameters)

    document.check(route, answer)
    assert everything(world) == before
    if route.is_write or route.is_by_admins:
        assert (answer.status, answer.code) == (403, "permission_denied")
    else:
        assert answer.status == 200, answer.content


@pytest.fixture(scope="module")
def untouched(made_once: World, django_db_blocker: Any) -> tuple[Any, ...]:
    """What the world's own key sees before anybody did anything; all begin with it."""
    with django_db_blocker.unblock():
        return everything(made_once)


@each(OF_ONE)
def test_another_projects_key_finds_nothing(
    route: Route, world: World, untouched: tuple[Any, ...], document: Any
) -> None:
    assert_found_by_nobody_else(route, world, untouched, world.stranger(), document)


@each(OF_ONE)
def test_a_key_for_other_agents_finds_nothing(
    route: Route, world: World, untouched: tuple[Any, ...], document: Any
) -> None:
    # What tells of all agents is refused to it, whether it exists or not.
    status = 403 if route.is_for_admins else 404
    limited = world.limited()
    assert_found_by_nobody_else(route, world, untouched, limited, document, status)


def assert_found_by_nobody_else(
    route: Route,
    world: World,
    before: tuple[Any, ...],
    stranger: Api,
    document: Any,
    status: int = 404,
) -> None:
    """Assert that what exists is answered as what does not, and stays as it is."""
    answer = route.call(stranger, world.parameters)

    assert answer.status == status, answer.content
    assert told(answer) == told(route.call(stranger, UNKNOWN))
    document.check(route, answer)
    assert everything(world) == before


@each(OF_ONE)
def test_what_does_not_exist_is_not_found(
    route: Route, world: World, document: Any
) -> None:
    # Where no key begins so, there is an empty list of them.
    for name in set(route.parameters) - {"prefix"}:
        unknown = "99" if name == "number" else UNKNOWN[name]
        client = world.client_for(route)
        answer = route.call(client, {**world.parameters, name: unknown})
        # A label is whatever one calls it: giving it is not finding it.
        assert answer.status == 404, f"{name}: {answer.content!r}"
        document.check(route, answer)


FILTERS = [
    {},
    {"session_id": "{session_id}"},
    {"forked_from": "{session_id}"},
    {"external_id": "order-1"},
    {"user_id": "u1"},
    {"agent_id": "travel"},
    {"resource_id": "{session_id}"},
    {"limit": "50"},
]


@each(LISTS)
@pytest.mark.parametrize("query", FILTERS, ids=str)
def test_strangers_see_empty_lists(
    route: Route, query: dict[str, str], world: World, document: Any
) -> None:
    wanted = {name: text.format(**world.parameters) for name, text in query.items()}

    limited = world.limited()
    strangers = [world.stranger(), limited]
    told = document.operations()[str(route)].get("parameters", [])
    if not wanted.keys() <= {one["name"] for one in told}:
        assert strangers[0].get(route.pattern, wanted).code == "unknown_parameter"
        return
    if route.is_for_admins:
        assert limited.get(route.pattern, wanted).status == 403
        strangers.remove(limited)
    for stranger in strangers:
        answer = stranger.get(route.pattern, route.query | wanted)
        if route.pattern.startswith("/v1/memories") and answer.status == 404:
            # Whose memories are meant is looked for first.
            assert wanted.keys() & {"session_id", "agent_id"}
            continue
        body = answer.body

        assert not body["has_more"]
        # A project's own record of itself and its keys is all that there is.
        events = {item.get("event") for item in body["data"]}
        assert events <= {"project.created", "project.changed", "key.created"}
        assert world.parameters["session_id"] not in str(body)


@each([route for route in ROUTES if route.is_write and not route.parameters])
def test_what_a_stranger_makes_is_its_own(
    route: Route, world: World, untouched: tuple[Any, ...]
) -> None:
    names = ("handoff", "session_id", "memory_id", "policy_id")
    answer = route.call(
        world.stranger(), {name: world.parameters[name] for name in names}
    )

    # A handoff of another project is none, and a search there finds nothing to plan
    # for; a key is made as the contract has it.
    expected = {
        "POST /v1/plans": 400,
        "POST /v1/incidents": 422,
        "POST /v1/surveys": 422,
        "POST /v1/experiments": 404,
        "POST /v1/budgets": 404,
        "POST /v1/guards": 404,
        "POST /v1/handoffs/adopt": 422,
        "POST /v1/dashboard/keys": 200,
        "PATCH /v1/project": 200,
        "POST /v1/blobs/missing": 200,
        "PUT /v1/project/policies": 200,
        "PUT /v1/masks": 200,
        "POST /v1/memories/import": 200,
        "POST /v1/memories/resolve": 404,
        "POST /v1/memories/rollback": 404,
        "POST /v1/retention/policies": 404,
        "POST /v1/retention/previews": 404,
        "POST /v1/erasures": 404,
        "POST /v1/exports": 202,
    }
    assert answer.status == expected.get(str(route), 201), answer.content
    assert everything(world) == untouched


# One statement for what three lists would show, and more: every column of every row.
STANDING = """
SELECT (SELECT string_agg(s::text, '|' ORDER BY s.id) FROM timeline_session s
         WHERE s.project_id = %(project)s),
       (SELECT string_agg(a::text, '|' ORDER BY a.id) FROM agents_agent a
         WHERE a.project_id = %(project)s),
       (SELECT string_agg(v::text, '|' ORDER BY v.session_id, v.number)
          FROM timeline_version v JOIN timeline_session s ON s.id = v.session_id
         WHERE s.project_id = %(project)s),
       (SELECT count(*) FROM timeline_turn t WHERE t.session_id = %(session)s),
       (SELECT count(*) FROM audit_event e WHERE e.stream_id = %(session)s)
"""


def everything(world: World) -> tuple[Any, ...]:
    """Return what stands in the project, and how much was recorded of its session."""
    session = world.parameters["session_id"]
    with connection.cursor() as cursor:
        cursor.execute(STANDING, {"project": world.project.id, "session": session})
        found: tuple[Any, ...] = cursor.fetchone()
    assert all(found), "Nothing was looked at."
    return found


@pytest.mark.parametrize("page", page_routes(), ids=lambda page: str(page[0]))
def test_every_page_asks_for_a_sign_in(
    page: tuple[str, tuple[str, ...]], client: Client
) -> None:
    pattern, parameters = page
    if pattern in PUBLIC:
        return
    samples = {**UNKNOWN, "slug": "checkout", "number": 0}
    missing = [name for name in parameters if name not in samples]
    assert not missing, f"{pattern} has parameters without a sample: {missing}"

    for method in (client.get, client.post):
        response = method(pattern.format(**samples))

        assert response.status_code == 302, f"{pattern} is open to anybody"
        assert response["Location"].startswith("/signin?next=")
