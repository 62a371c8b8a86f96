"""Rolling back: an earlier state becomes the newest version; nothing is lost."""

from typing import Any

import pytest

from apps.timeline.models import Body, Version
from tests.timeline.runs import Begin, Run, assert_refused

pytestmark = pytest.mark.django_db
PATHS = ["rollback", "state/rollback"]


def counts() -> Any:
    return Version.objects.count(), Body.objects.count()


@pytest.mark.parametrize("path", PATHS)
def test_it_appends_the_earlier_state_as_a_new_version(run: Run, path: Any) -> None:
    answer = run.client.post(run.path(path), {"version": 1, "reason": "Wrong city."})

    body = answer.body
    assert answer.status == 200
    assert answer.headers["ETag"] == '"v3"'
    assert body["success"] is True
    assert body["version"] == body["new_version"] == 3
    assert body["restored_from_version"] == 1
    assert body["rolled_back_from_version"] == 2
    assert body["state"] == body["data"] == {"step": 1, "city": "Rome"}
    assert body["reason"] == "Wrong city."
    assert body["reason_code"] is None
    assert body["session_id"] == run.id
    assert body["hold"] == "open"
    assert body["trace_id"]
    assert body["created_at"] <= body["updated_at"]
    assert run.state == body["state"]


def test_it_keeps_all_of_history_and_stores_no_bytes(run: Run) -> None:
    before = {n: run.get("versions", n)["state"] for n in range(3)}
    versions, bodies = counts()

    run.rollback(0)

    assert {n: run.get("versions", n)["state"] for n in range(3)} == before
    assert counts() == (versions + 1, bodies)


def test_it_tells_what_it_did_in_the_version_it_made(run: Run) -> None:
    run.rollback(0, reason="Wrong city.", reason_code="bad_tool_result")

    version = run.get("versions", 3)
    assert version["op"] == "rollback"
    assert (version["parent_version"], version["restored_version"]) == (2, 0)
    assert version["reasoning"] == "Wrong city."
    assert version["reason_code"] == "bad_tool_result"
    assert {change["pointer"] for change in version["changes"]} == {"/step", "/city"}


@pytest.mark.parametrize(("given", "restored"), [(-1, 1), (-2, 0), (0, 0), (1, 1)])
def test_a_negative_number_counts_back_from_the_head(
    run: Run, given: Any, restored: Any
) -> None:
    body = run.rollback(given)

    assert body["restored_from_version"] == restored
    assert body["state"]["step"] == restored


@pytest.mark.parametrize("number", [2, None])
def test_the_head_itself_is_nothing_to_roll_back(run: Run, number: Any) -> None:
    body = {"version": number} if number is not None else {"version": run.head}

    answer = run.client.post(run.path("rollback"), body)

    assert_refused(answer, 409, "nothing_to_roll_back", "version")
    assert answer.body["error"]["head"] == 2
    assert run.head == 2


@pytest.mark.parametrize("number", [3, 99, 2**53, -3, -99, -(2**31)])
def test_a_version_that_is_not_there_is_not_found(run: Run, number: Any) -> None:
    answer = run.client.post(run.path("rollback"), {"version": number})

    assert_refused(answer, 404, "version_not_found", "version")
    assert answer.body["error"]["head"] == 2
    assert run.head == 2


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({}, "version"),
        ({"version": None}, "version"),
        ({"version": "1"}, "version"),
        ({"version": 1.0}, "version"),
        ({"version": True}, "version"),
        ({"version": "latest"}, "version"),
        ({"version": -(2**31) - 1}, "version"),
        ({"version": 0, "reason": 5}, "reason"),
        ({"version": 0, "reason": "r" * 32_769}, "reasoning"),
        ({"version": 0, "reason_code": "c" * 101}, "reason_code"),
        ({"version": 0, "hold": "yes"}, "hold"),
        ({"version": 0, "hold": 1}, "hold"),
    ],
)
def test_it_names_the_field_that_it_refuses(run: Run, body: Any, param: Any) -> None:
    answer = run.client.post(run.path("rollback"), body)

    assert_refused(answer, 400, "invalid_request", param)
    assert run.head == 2


def test_it_can_pause_in_the_same_version(run: Run) -> None:
    body = run.rollback(0, hold=True)

    assert (body["version"], body["hold"]) == (3, "paused")
    assert run.get()["status"] == "paused"
    refused = run.client.patch(run.path("state"), {"state": {"step": 9}})
    assert_refused(refused, 423, "session_paused")
    assert run.head == 3


def test_it_restores_every_part_together(begin: Begin) -> None:
    run = begin({"a": 1}, messages=["one"], tool_results={"c": 1})
    run.patch({"a": 2}, messages=["one", "two"], tool_results={"c": 2}, tasks=[1])

    run.rollback(0)

    restored, first = run.get("checkpoint"), run.get("checkpoint", version=0)
    for name in ("state", "messages", "tool_results", "tasks", "artifacts"):
        assert restored[name] == first[name]
    assert restored["tasks"] is None


def test_an_agent_learns_of_it_with_its_next_writes(run: Run) -> None:
    body = run.rollback(0)
    at = body["updated_at"]

    told = {"version": 3, "restored_version": 0, "at": at}
    assert body["last_rollback"] == told
    assert run.patch({"a": 1}).body["last_rollback"] == told
    assert run.put({"a": 2}).body["last_rollback"] == told
    assert run.get()["last_rollback"] == told
    assert run.get("state")["last_rollback"] == told


def test_the_last_of_several_is_told(run: Run) -> None:
    run.rollback(0)
    run.rollback(1)

    told = run.patch({"a": 1}).body["last_rollback"]

    assert (told["version"], told["restored_version"]) == (4, 1)


def test_a_rollback_can_be_rolled_back(run: Run) -> None:
    run.rollback(0)

    body = run.rollback(-1)

    assert body["version"] == 4
    assert body["restored_from_version"] == 2
    assert body["state"] == {"step": 2, "city": "NYC"}


def test_a_rollback_to_a_rollback_restores_what_it_restored(run: Run) -> None:
    run.rollback(0)
    run.patch({"step": 4})

    body = run.rollback(3)

    assert body["restored_from_version"] == 3
    assert body["state"] == {"step": 0, "city": "Rome"}


def test_an_equal_state_under_another_number_can_be_restored(run: Run) -> None:
    run.patch({"step": 2})

    assert run.rollback(2)["version"] == 4


def test_work_goes_on_from_the_restored_state(run: Run) -> None:
    run.rollback(0)

    answer = run.patch({"step": 7})

    assert answer.body["version"] == 4
    assert answer.body["state"] == {"step": 7, "city": "Rome"}


def test_a_repeated_request_is_done_once(run: Run) -> None:
    client, path = run.client, run.path("rollback")

    first = client.post(path, {"version": -1}, Idempotency_Key="k")
    again = client.post(path, {"version": -1}, Idempotency_Key="k")

    assert again.body == first.body
    assert run.head == 3


def test_reasoning_is_another_name_for_reason(run: Run) -> None:
    assert run.rollback(0, reasoning="Because.")["reason"] == "Because."
