"""Strict agents: writes name what is declared, and nothing older than the head's."""

from typing import Any

import pytest

from tests.schemas.make import FIRST, SECOND, declare, three
from tests.timeline.runs import Run, assert_refused, begin

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_old_worker_is_stopped_once_the_head_is_of_a_newer_schema(
    run: Run, admin: Any
) -> None:
    three(admin, strict=True)
    old = {"state": {"days": "4"}, "schema_version": "1.0.0"}
    assert run.client.patch(run.path("state"), old).status == 200

    run.post("state/migrate", {"to": "2.0.0"})

    answer = run.client.patch(run.path("state"), old)
    assert_refused(answer, 409, "schema_behind", "schema_version")
    assert answer.body["error"]["head_schema"] == "2.0.0"
    turn = {"input": "Hi", "output": "Yes", "state_after": FIRST}
    assert_refused(
        run.client.post(run.path("turns"), turn | {"schema_version": "1.0.0"}),
        409,
        "schema_behind",
    )
    batch = {"versions": [{"state": {"a": 1}}, {"state": {"a": 2}, **old}]}
    assert_refused(run.client.post(run.path("versions"), batch), 409, "schema_behind")
    assert run.patch({"days": 4}, schema_version="2.0.0").body["version"] == 3
    assert run.patch({"days": 5}).body["version"] == 4


def test_undeclared_schemas_are_refused(run: Run, admin: Any, api: Any) -> None:
    three(admin, strict=True)

    named = {"state": SECOND, "schema_version": "2.5.0"}
    answer = run.client.patch(run.path("state"), named)
    assert_refused(answer, 409, "schema_unknown", "schema_version")
    assert answer.body["error"]["declared"] == ["1.0.0", "2.0.0", "3.0.0"]
    for body in ({}, {"schema_version": "2.5.0"}):
        answer = api().post("/v1/sessions", {"agent_id": "travel", **body})
        assert_refused(answer, 409, "schema_unknown")
    assert begin(api(), FIRST, schema_version="1.0.0").head == 0


def test_what_is_declared_counts_at_once(run: Run, admin: Any) -> None:
    three(admin, strict=True)
    run.patch({"days": "4"})

    declare(admin, "4.0.0", strict=True)

    assert run.patch({"days": 5}, schema_version="4.0.0").status == 200


def test_a_schema_that_is_not_strict_ends_it(run: Run, admin: Any) -> None:
    three(admin, strict=True)
    declare(admin, "4.0.0")

    assert run.patch({"days": 5}, schema_version="whatever").status == 200


def test_no_other_agent_is_held_to_it(admin: Any, api: Any) -> None:
    begin(api(), FIRST)
    three(admin, strict=True)

    other = begin(api(), FIRST, agent_id="cooking", schema_version="7")

    assert other.patch({"a": 1}, schema_version="6").status == 200


def test_rollbacks_holds_and_forks_of_older_versions_go_on(
    run: Run, admin: Any
) -> None:
    three(admin, strict=True)
    run.post("state/migrate", {"to": "2.0.0"})

    run.rollback(0)
    fork = run.fork(version=0)
    run.hold("pause")

    assert fork.get("versions", 0)["schema_version"] == "1.0.0"
    assert run.get("versions", 3)["schema_version"] == "1.0.0"
