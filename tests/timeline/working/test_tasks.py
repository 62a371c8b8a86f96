"""Tasks: one is changed by its id, as a version; a resumed run sees the next one."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command

from apps.timeline.bodies.tasks import Progress
from apps.timeline.queries import subjects
from tests.conftest import Answer
from tests.timeline.runs import Begin, Clients, Run, assert_refused

pytestmark = pytest.mark.django_db
TASKS = [
    {"id": "fly", "title": "Book the flight", "status": "completed"},
    {"id": "sleep", "title": "Book the hotel", "status": "in_progress", "nights": 3},
    {"id": 7, "title": "Send the plan"},
]


@pytest.fixture
def trip(begin: Begin) -> Run:
    return begin({"city": "Rome"}, tasks=TASKS, messages=["Hi"])


def changed(run: Run, task: Any, client: Any = None, **fields: Any) -> Answer:
    client = client or run.client
    return client.send("PATCH", run.path("tasks", task), fields)


def test_it_changes_one_task_as_a_version(trip: Run) -> None:
    answer = changed(trip, "sleep", status="completed", note="PNR X7K2", reasoning="ok")

    assert answer.status == 200
    assert answer.headers["ETag"] == '"v1"'
    assert answer.body["task"] == {
        **TASKS[1],
        "status": "completed",
        "note": "PNR X7K2",
    }
    assert answer.body["next_task"] == TASKS[2]
    assert answer.body["progress"] == {"done": 2, "total": 3}
    checkpoint = trip.get("checkpoint")
    assert checkpoint["tasks"] == [TASKS[0], answer.body["task"], TASKS[2]]
    assert (checkpoint["state"], checkpoint["messages"]) == ({"city": "Rome"}, ["Hi"])
    assert checkpoint["reasoning"] == "ok"


def listed(run: Run) -> Any:
    return subjects([run.id])[run.id].progress


def test_lists_know_how_far_it_is(trip: Run, begin: Begin) -> None:
    assert listed(trip) == Progress(1, 3)
    changed(trip, "sleep", status="completed")
    assert listed(trip) == Progress(2, 3)
    trip.patch({"city": "NYC"})
    assert listed(trip) == Progress(2, 3)
    trip.rollback(0)
    assert listed(trip) == Progress(1, 3)
    trip.hold("pause")
    assert listed(trip) == Progress(1, 3)
    trip.hold("resume")
    assert listed(trip.fork(version=1)) == Progress(2, 3)
    trip.patch(tasks=[])
    assert listed(trip) is None
    call_command("verify", "--session", trip.id)
    assert listed(begin({"tasks": "none"})) is None


def test_lists_know_how_far_a_states_own_list_is(begin: Begin) -> None:
    run = begin({"tasks": [{}, {"status": "done"}], "n": 1})
    assert listed(run) == Progress(1, 2)
    run.patch({"n": 2})
    assert listed(run) == Progress(1, 2)
    run.patch({"tasks": [{"status": "done"}]})
    assert listed(run) == Progress(1, 1)
    run.put({"n": 3})
    assert listed(run) is None
    run.rollback(0)
    assert listed(run) == Progress(1, 2)
    call_command("verify", "--session", run.id)


def test_an_id_may_be_a_number(trip: Run) -> None:
    assert changed(trip, 7, status="skipped").body["task"]["status"] == "skipped"


@pytest.mark.parametrize(
    ("body", "param"),
    [({}, "status"), ({"status": "done"}, "status"), ({"titel": "x"}, "titel")],
)
def test_what_is_not_understood_is_refused(trip: Run, body: Any, param: str) -> None:
    answer = changed(trip, "sleep", **body)

    assert (answer.status, answer.body["error"]["param"]) == (400, param)
    assert trip.head == 0


def test_a_task_that_is_not_there_is_not_found(trip: Run) -> None:
    assert_refused(changed(trip, "eat", status="failed"), 404, "task_not_found", "task")


def test_an_id_may_hold_the_end_of_a_line(begin: Begin) -> None:
    run = begin({}, tasks=[{"id": "two\nlines"}])

    answer = changed(run, "two%0Alines", status="completed")

    assert answer.body["task"] == {"id": "two\nlines", "status": "completed"}


def test_an_id_that_two_have_is_of_neither(begin: Begin) -> None:
    run = begin({}, tasks=[{"id": "a"}, {"id": "a"}])

    answer = changed(run, "a", status="failed")

    assert_refused(answer, 409, "task_ambiguous", "task")
    assert answer.body["error"]["places"] == [0, 1]


def test_a_stale_head_changes_nothing(trip: Run) -> None:
    trip.patch({"city": "NYC"})

    answer = changed(trip, "fly", status="failed", expected_version=0)

    assert_refused(answer, 409, "version_conflict")
    assert trip.get("checkpoint")["tasks"] == TASKS


def test_a_lost_reply_is_answered_again(trip: Run) -> None:
    once = {"Idempotency-Key": "task-1"}
    said = {"status": "completed"}

    first, second = (
        trip.client.send("PATCH", trip.path("tasks", "sleep"), said, once)
        for _ in range(2)
    )

    assert first.body == second.body
    assert second.headers["Idempotent-Replayed"] == "true"
    assert trip.head == 1


def test_who_may_not_write_changes_nothing(
    trip: Run, api: Clients, make_key: Any
) -> None:
    answer = changed(trip, "fly", api(make_key(scope="read")), status="failed")

    assert answer.status == 403
    assert trip.head == 0
