"""Many sessions at once: the dry run says what the run then does."""

from typing import Any

import pytest
from django.utils import timezone

from apps.plans import running
from tests.schemas.make import FIRST, SECOND, three
from tests.timeline.runs import Run, assert_refused, begin, succeeded

pytestmark = pytest.mark.django_db


def planned(client: Any, runs: list[Run], **fields: Any) -> Any:
    body = {"kind": "migrate", "sessions": [one.id for one in runs], **fields}
    return succeeded(client.post("/v1/plans", body)).body


def by_session(plan: Any) -> dict[str, Any]:
    return {one["session_id"]: one for one in plan["items"]}


def test_the_dry_run_says_what_the_run_does(run: Run, admin: Any, api: Any) -> None:
    three(admin)
    broken = begin(api(), FIRST | {"days": "many"}, schema_version="1.0.0")
    unfit = begin(api(), FIRST | {"days": "0"}, schema_version="1.0.0")
    there = begin(api(), SECOND, schema_version="2.0.0")
    unnamed = begin(api(), FIRST)
    closed = begin(api(), FIRST, schema_version="1.0.0")
    closed.hold("close")
    all_of_them = [run, broken, unfit, there, unnamed, closed]

    plan = planned(run.client, all_of_them, to_schema="2.0.0")

    assert plan["to_schema"] == "2.0.0"
    codes = [one["code"] for one in plan["items"]]
    assert codes == [
        None,
        "migration_failed",
        "schema_unfit",
        "nothing_to_migrate",
        "no_migration",
        "session_closed",
    ]
    assert [one.head for one in all_of_them[:5]] == [0] * 5
    assert "step" in by_session(plan)[broken.id]["why"]
    succeeded(run.client.post(f"/v1/plans/{plan['id']}/confirm", {"reason": "2.0"}))
    running.sweep(now=timezone.now())

    done = run.client.get(f"/v1/plans/{plan['id']}").body
    counts = {state: n for state, n in done["counts"].items() if n}
    assert counts == {"left_out": 5, "done": 1}
    assert run.state == SECOND
    made = run.get("versions", 1)
    assert (made["op"], made["reasoning"]) == ("migrate", "2.0")
    assert [one.head for one in (broken, unfit, there, unnamed)] == [0] * 4


def test_all_that_a_search_finds_of_an_older_schema_are_migrated(
    run: Run, admin: Any, api: Any
) -> None:
    three(admin)
    also = begin(api(), FIRST, schema_version="1.0.0")
    newer = begin(api(), SECOND, schema_version="2.0.0")
    asked = {"kind": "migrate", "q": "schema:1.0.0", "to_schema": "2.0.0"}

    plan = succeeded(run.client.post("/v1/plans", asked)).body

    assert set(by_session(plan)) == {run.id, also.id}
    succeeded(run.client.post(f"/v1/plans/{plan['id']}/confirm", {"reason": "2.0"}))
    running.sweep(now=timezone.now())
    assert [run.state, also.state] == [SECOND, SECOND]
    assert (newer.head, newer.state) == (0, SECOND)
    found = run.client.get("/v1/search", {"q": "schema:1.0.0"}).body
    assert found["data"] == []


def test_states_that_name_none_are_of_what_is_said(
    run: Run, admin: Any, api: Any
) -> None:
    three(admin)
    unnamed = begin(api(), FIRST)

    plan = planned(run.client, [unnamed], to_schema="2.0.0", from_schema="1.0.0")
    succeeded(run.client.post(f"/v1/plans/{plan['id']}/confirm", {}))
    running.sweep(now=timezone.now())

    assert unnamed.state == SECOND


def test_what_changed_since_the_dry_run_is_left_out_with_its_reason(
    run: Run, admin: Any
) -> None:
    three(admin)
    plan = planned(run.client, [run], to_schema="2.0.0")
    run.patch({"days": "many"})
    succeeded(run.client.post(f"/v1/plans/{plan['id']}/confirm", {}))
    running.sweep(now=timezone.now())

    (item,) = run.client.get(f"/v1/plans/{plan['id']}").body["items"]
    assert (item["state"], item["code"]) == ("left_out", "migration_failed")
    assert run.head == 1


def test_a_plan_needs_the_schema_and_no_other_act_takes_one(
    run: Run, admin: Any
) -> None:
    three(admin)
    body = {"kind": "migrate", "sessions": [run.id]}
    assert_refused(run.client.post("/v1/plans", body), 400, "invalid_request")
    body = {"kind": "hold", "sessions": [run.id], "to_schema": "2.0.0"}
    assert run.client.post("/v1/plans", body).param == "to_schema"


def test_a_stranger_migrates_nothing(run: Run, admin: Any, stranger: Any) -> None:
    three(admin)

    plan = planned(stranger, [run], to_schema="2.0.0")

    (item,) = plan["items"]
    assert (item["state"], item["code"]) == ("left_out", "session_not_found")


def test_the_sessions_of_an_incident_are_migrated_by_a_plan(
    run: Run, admin: Any
) -> None:
    three(admin)
    opened = {"title": "They are of the old schema", "sessions": [run.id]}
    incident = succeeded(run.client.post("/v1/incidents", opened)).body

    path = f"/v1/incidents/{incident['id']}/plans"
    asked = {"kind": "migrate", "to_schema": "2.0.0"}
    plan = succeeded(run.client.post(path, asked)).body
    succeeded(run.client.post(f"/v1/plans/{plan['id']}/confirm", {"reason": "2.0"}))
    running.sweep(now=timezone.now())

    assert (plan["incident_id"], plan["to_schema"]) == (incident["id"], "2.0.0")
    assert run.state == SECOND
