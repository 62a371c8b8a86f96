"""Replacing a state as a whole, by PUT or by POST."""

from typing import Any

import pytest

from apps.timeline.models import Version
from tests.timeline.runs import Begin, Run, assert_refused, succeeded

pytestmark = pytest.mark.django_db
METHODS = ["PUT", "POST"]


@pytest.mark.parametrize("method", METHODS)
def test_it_sets_the_state_as_a_whole(run: Run, method: Any) -> None:
    answer = succeeded(
        run.client.send(method, run.path("state"), {"state": {"only": [1]}})
    )

    assert answer.status == 200
    assert answer.headers["ETag"] == '"v3"'
    assert answer.body["version"] == 3
    assert answer.body["state"] == answer.body["data"] == {"only": [1]}
    assert run.state == {"only": [1]}
    assert run.get("versions", 3)["op"] == "replace"
    assert run.get("versions", 2)["state"] == {"step": 2, "city": "NYC"}


def test_it_keeps_the_order_of_the_new_keys(run: Run) -> None:
    run.put({"z": 1, "city": 2, "a": 3})

    assert list(run.state) == ["z", "city", "a"]


def test_an_empty_state_is_a_state(run: Run) -> None:
    run.put({})

    assert run.state == {}
    assert "keys_lost" in run.get("versions", 3)["flags"]


def test_parts_that_are_not_named_are_carried_over(begin: Begin) -> None:
    run = begin({"a": 1}, messages=["hi"], tasks=[1])

    run.put({"b": 1}, tasks=[2])

    checkpoint = run.get("checkpoint")
    assert (checkpoint["messages"], checkpoint["tasks"]) == (["hi"], [2])
    assert checkpoint["state"] == {"b": 1}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("body", [{}, {"state": None}, {"updates": None}])
def test_it_needs_a_state(run: Run, method: Any, body: Any) -> None:
    answer = run.client.send(method, run.path("state"), body)

    assert_refused(answer, 400, "invalid_request", "state")
    assert Version.objects.filter(session_id=run.id).count() == 3


@pytest.mark.parametrize("method", METHODS)
def test_a_repeated_request_is_done_once(run: Run, method: Any) -> None:
    key = {"Idempotency-Key": "k"}
    body = {"state": {"a": 1}}

    first = run.client.send(method, run.path("state"), body, key)
    again = run.client.send(method, run.path("state"), body, key)

    assert (again.status, again.body) == (200, first.body)
    assert run.head == 3
