"""Tasks: one is changed by its id, as a version; a resumed run sees the next one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Answer
from tests.timeline.runs import Begin, Run

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


def test_an_id_may_be_a_number(trip: Run) -> None:
    assert changed(trip, 7, status="skipped").body["task"]["status"] == "skipped"
