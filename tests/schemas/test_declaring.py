"""Declaring schemas and migrations: what is taken, refused, withdrawn."""

from typing import Any

import pytest

from tests.schemas.make import AGENT, SCHEMAS, TO_SECOND, declare, lead, three
from tests.timeline.runs import Run, assert_refused

pytestmark = pytest.mark.django_db


def test_schemas_and_migrations_are_read_by_whoever_may_read(
    run: Run, admin: Any
) -> None:
    ways = three(admin)

    listed = run.client.get(f"{AGENT}/schemas").body
    assert [one["version"] for one in listed["data"]] == list(SCHEMAS)
    one = run.client.get(f"{AGENT}/schemas/{listed['data'][1]['id']}").body
    assert one["schema"] == SCHEMAS["2.0.0"]
    assert (one["object"], one["strict"], one["used_at"]) == (
        "agent_schema",
        False,
        None,
    )
    found = run.client.get(f"{AGENT}/migrations").body["data"]
    assert [(way["from"], way["to"]) for way in found] == [
        ("1.0.0", "2.0.0"),
        ("2.0.0", "3.0.0"),
    ]
    way = run.client.get(f"{AGENT}/migrations/{ways['2.0.0']['id']}").body
    assert way["steps"] == TO_SECOND


def test_only_administrators_declare(run: Run, admin: Any) -> None:
    schema = declare(admin, "1.0.0")

    for path, body in (
        ("schemas", {"version": "2.0.0", "schema": {}}),
        ("migrations", {"from": "1.0.0", "to": "2.0.0", "steps": TO_SECOND}),
    ):
        answer = run.client.post(f"{AGENT}/{path}", body)
        assert_refused(answer, 403, "permission_denied")
    answer = run.client.delete(f"{AGENT}/schemas/{schema['id']}")
    assert_refused(answer, 403, "permission_denied")


def test_a_stranger_finds_nothing(run: Run, admin: Any, stranger: Any) -> None:
    three(admin)
    (id, *_) = [one["id"] for one in admin.get(f"{AGENT}/schemas").body["data"]]

    assert stranger.get(f"{AGENT}/schemas").status == 404
    assert stranger.get(f"{AGENT}/schemas/{id}").status == 404
    assert_refused(admin.get(f"{AGENT}/schemas/schm_0"), 404, "schema_not_found")
    assert_refused(admin.get(f"{AGENT}/migrations/x"), 404, "migration_not_found")


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"$ref": "https://example.com/state.json"}, "/schema/$ref"),
        ({"properties": {"a": {"$ref": "other.json#/a"}}}, "/schema/properties/a/$ref"),
        ({"$dynamicRef": "http://127.0.0.1/x"}, "/schema/$dynamicRef"),
        ({"properties": {"a": {"$id": "http://a/b"}}}, "/schema/properties/a/$id"),
        ({"type": "nothing"}, "/schema"),
        ({"$ref": "#"}, "/schema"),
    ],
)
def test_a_schema_that_leads_elsewhere_or_is_none_is_refused(
    run: Run, admin: Any, monkeypatch: Any, schema: Any, place: str
) -> None:
    def connect(*args: Any) -> None:
        raise AssertionError("It was fetched.")

    monkeypatch.setattr("socket.socket.connect", connect)
    answer = admin.post(f"{AGENT}/schemas", {"version": "1", "schema": schema})

    assert_refused(answer, 422, "unacceptable_schema", place)


@pytest.mark.parametrize(
    ("steps", "place"),
    [
        ([], "/steps"),
        ([{"op": "explode", "at": "/a"}], "/steps/0/op"),
        ([{"op": "remove", "at": "a"}], "/steps/0/at"),
        ([{"op": "remove", "at": ""}], "/steps/0/at"),
        ([{"op": "remove"}], "/steps/0/at"),
        ([{"op": "remove", "at": "/a", "why": 1}], "/steps/0/why"),
        ([{"op": "rename", "at": "/a"}], "/steps/0/to"),
        ([{"op": "move", "at": "/a", "to": "/a/b"}], "/steps/0/to"),
        ([{"op": "convert", "at": "/a", "to": "date"}], "/steps/0/to"),
        ([{"op": "map", "at": "/a", "values": [{"from": 1}]}], "/steps/0/values/0"),
        (
            [{"op": "each", "at": "/a", "steps": [{"op": "remove", "at": "/a"}, 3]}],
            "/steps/0/steps/1",
        ),
        ([{"op": "remove", "at": "/a"}] * 101, "/steps"),
    ],
)
def test_a_step_that_is_none_is_refused_at_its_place(
    run: Run, admin: Any, steps: Any, place: str
) -> None:
    declare(admin, "1")
    declare(admin, "2")

    answer = admin.post(f"{AGENT}/migrations", {"from": "1", "to": "2", "steps": steps})

    assert_refused(answer, 422, "unacceptable_migration", place)


def test_migrations_lead_one_way_and_never_back(run: Run, admin: Any) -> None:
    three(admin)
    declare(admin, "4.0.0")
    steps = [{"op": "remove", "at": "/a"}]

    for before, after, why in (
        ("3.0.0", "1.0.0", "in a circle"),
        ("1.0.0", "1.0.0", "in a circle"),
        ("1.0.0", "3.0.0", "two ways from 1.0.0 to 3.0.0"),
        ("1.0.0", "2.0.0", "two ways from 1.0.0 to 2.0.0"),
    ):
        body = {"from": before, "to": after, "steps": steps}
        answer = admin.post(f"{AGENT}/migrations", body)
        assert_refused(answer, 422, "unacceptable_migration", "/to")
        assert why in answer.body["error"]["message"]
    unknown = {"from": "1.0.0", "to": "5.0.0", "steps": steps}
    assert_refused(
        admin.post(f"{AGENT}/migrations", unknown), 422, "unacceptable_migration", "/to"
    )
    assert lead(admin, "3.0.0", "4.0.0", steps)["to"] == "4.0.0"


def test_a_version_is_declared_once(run: Run, admin: Any) -> None:
    declare(admin, "1.0.0")

    body = {"version": "1.0.0", "schema": {"type": "array"}}
    assert_refused(admin.post(f"{AGENT}/schemas", body), 409, "schema_exists")
    for version in ("", " 1", "a\nb", "x" * 101):
        answer = admin.post(f"{AGENT}/schemas", {"version": version, "schema": {}})
        assert answer.status in (400, 422), version


def test_the_same_request_twice_declares_once(run: Run, admin: Any) -> None:
    body = {"version": "1.0.0", "schema": {"type": "object"}}

    first, again = (
        admin.post(f"{AGENT}/schemas", body, Idempotency_Key="s-1") for _ in range(2)
    )

    assert (first.status, again.status) == (201, 201)
    assert first.body == again.body


def test_what_was_never_used_is_withdrawn_and_what_was_stays(
    run: Run, admin: Any
) -> None:
    ways = three(admin)
    ids = {s["version"]: s["id"] for s in admin.get(f"{AGENT}/schemas").body["data"]}
    run.post("state/migrate", {"to": "2.0.0"})

    used = admin.delete(f"{AGENT}/migrations/{ways['2.0.0']['id']}")
    named = admin.delete(f"{AGENT}/schemas/{ids['3.0.0']}")
    gone = admin.delete(f"{AGENT}/migrations/{ways['3.0.0']['id']}")
    free = admin.delete(f"{AGENT}/schemas/{ids['3.0.0']}")

    assert_refused(used, 409, "schema_used")
    assert_refused(named, 409, "schema_used")
    assert (gone.status, free.status) == (200, 200)
    assert_refused(admin.delete(f"{AGENT}/schemas/{ids['2.0.0']}"), 409, "schema_used")
    assert len(admin.get(f"{AGENT}/schemas").body["data"]) == 2


def test_a_schema_that_a_state_names_stays(run: Run, admin: Any) -> None:
    schema = declare(admin, "1.0.0")
    free = declare(admin, "0.9.0")

    kept = admin.delete(f"{AGENT}/schemas/{schema['id']}")

    assert_refused(kept, 409, "schema_used")
    assert admin.delete(f"{AGENT}/schemas/{free['id']}").status == 200
