"""`on_conflict=fork`: a write whose head has moved becomes a fork of what it saw."""

from typing import Any

import pytest

from apps.accounts.models import Project
from apps.timeline.models import Session, Version
from tests.conftest import Answer
from tests.plans.test_at_once import at_once
from tests.timeline.runs import Begin, Clients, Keys, Run, assert_refused, succeeded

pytestmark = pytest.mark.django_db


def written(run: Run, method: str = "PATCH", **fields: Any) -> Answer:
    headers = {name: fields.pop(name) for name in list(fields) if name[0].isupper()}
    body = {"state": {"b": 2}, "expected_version": 0, **fields}
    where = {"on_conflict": "fork"}
    return run.client.send(method, run.path("state"), body, headers, where)


@pytest.fixture
def moved(begin: Begin) -> Run:
    """A session whose head has moved from v0 to v1."""
    run = begin({"a": 1, "gone": [1]}, user_id="u_1")
    run.patch({"a": 9})
    return run


def versions_of(run: Run) -> int:
    return Version.objects.filter(session_id=run.id).count()


@pytest.mark.parametrize(
    ("method", "fields", "state"),
    [
        ("PATCH", {"remove": ["/gone/0"]}, {"a": 1, "gone": [], "b": 2}),
        ("PUT", {}, {"b": 2}),
        ("POST", {}, {"b": 2}),
    ],
)
def test_a_write_that_lost_becomes_a_fork_of_what_it_was_built_on(
    moved: Run, method: str, fields: Any, state: Any
) -> None:
    answer = written(moved, method, reasoning="late", **fields)

    assert answer.status == 201, answer.content
    body = answer.body
    assert (body["forked_from"], body["forked_version"]) == (moved.id, 0)
    assert (body["version"], body["state"]) == (0, state)
    fork = Session.objects.get(id=body["session_id"])
    assert (fork.origin_session_id, fork.origin_number) == (moved.id, 0)
    assert fork.user_id == "u_1"
    first = Version.objects.get(session_id=fork.id, number=0)
    assert (first.op, first.reasoning) == ("fork", "late")
    assert (versions_of(moved), moved.state) == (2, {"a": 9, "gone": [1]})


def test_operations_and_parts_come_along(moved: Run) -> None:
    tasks = [{"id": "t", "title": "Book", "status": "pending"}]
    answer = moved.client.send(
        "PATCH",
        moved.path("state"),
        {
            "operations": [{"op": "add", "path": "/gone/-", "value": 2}],
            "tasks": tasks,
            "expected_version": 0,
        },
        query={"on_conflict": "fork"},
    )

    fork = Run(moved.client, Answer(201, answer.headers, answer.content))
    assert succeeded(answer).body["state"] == {"a": 1, "gone": [1, 2]}
    found = moved.client.get(f"/v1/sessions/{fork.made.body['session_id']}/checkpoint")
    assert [task["id"] for task in found.body["tasks"]] == ["t"]


def test_a_head_that_has_not_moved_is_written_to(moved: Run) -> None:
    answer = written(moved, expected_version=1)

    assert (answer.status, answer.body["version"]) == (200, 2)
    assert "forked_from" not in answer.body
    assert Session.objects.count() == 1


def test_if_match_names_the_version_as_well(moved: Run) -> None:
    answer = written(moved, expected_version=None, If_Match='"v0"')

    assert (answer.status, answer.body["forked_version"]) == (201, 0)


def test_as_little_as_possible_still_says_what_became_of_it(moved: Run) -> None:
    body = written(moved, Prefer="return=minimal").body

    assert "state" not in body
    assert body["forked_from"] == moved.id
    assert body["session_id"] != moved.id


def test_what_became_a_fork_is_promoted_like_any(moved: Run) -> None:
    fork = written(moved).body["session_id"]

    moved.post("promote", {"fork": fork, "expected_version": 1, "reasoning": "both"})

    assert moved.state == {"a": 9, "gone": [1], "b": 2}


def test_the_fork_is_made_once_however_often_it_is_asked_for(moved: Run) -> None:
    first = succeeded(written(moved, Idempotency_Key="once"))
    again = succeeded(written(moved, Idempotency_Key="once"))
    other = written(moved, state={"c": 3}, Idempotency_Key="once")

    assert (again.status, again.body) == (201, first.body)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert_refused(other, 422, "idempotency_key_reused", "Idempotency-Key")
    assert Session.objects.count() == 2


def test_what_was_written_before_is_not_forked_when_it_is_repeated(
    begin: Begin,
) -> None:
    run = begin({"a": 1})
    first = succeeded(written(run, Idempotency_Key="once"))
    run.patch({"a": 2})

    again = written(run, Idempotency_Key="once")

    assert (again.status, again.body["version"]) == (200, first.body["version"])
    assert Session.objects.count() == 1


@pytest.mark.parametrize("fields", [{"expected_version": None}, {"If_Match": "*"}])
def test_a_fork_needs_the_version_that_was_seen(moved: Run, fields: Any) -> None:
    fields = {"expected_version": None, **fields}

    assert_refused(written(moved, **fields), 400, "invalid_request", "expected_version")
    assert versions_of(moved) == 2


def test_a_version_that_is_still_to_come_is_a_conflict(moved: Run) -> None:
    answer = written(moved, expected_version=5)

    assert_refused(answer, 409, "version_conflict", "expected_version")
    assert Session.objects.count() == 1


def test_another_word_is_refused(moved: Run) -> None:
    answer = moved.client.send(
        "PATCH",
        moved.path("state"),
        {"state": {}, "expected_version": 0},
        query={"on_conflict": "merge"},
    )

    assert_refused(answer, 400, "invalid_request", "on_conflict")


def test_to_refuse_may_be_said(moved: Run) -> None:
    answer = moved.client.send(
        "PATCH",
        moved.path("state"),
        {"state": {}, "expected_version": 0},
        query={"on_conflict": "refuse"},
    )

    assert_refused(answer, 409, "version_conflict")


@pytest.mark.parametrize(
    ("verb", "status", "code"),
    [("pause", 423, "session_paused"), ("close", 409, "session_closed")],
)
def test_a_session_that_is_held_refuses_as_ever(
    moved: Run, verb: str, status: int, code: str
) -> None:
    moved.hold(verb, reasoning="why")

    assert_refused(written(moved), status, code)
    assert Session.objects.count() == 1


def test_a_stranger_finds_no_session_and_a_reader_writes_none(
    moved: Run, api: Clients, make_key: Keys, other_project: Project
) -> None:
    stranger = Run(api(make_key(project=other_project)), moved.made)
    reader = Run(api(make_key(scope="read")), moved.made)
    nobody = Run(api("sb_" + "x" * 40), moved.made)

    assert_refused(written(stranger), 404, "session_not_found")
    assert_refused(written(reader), 403, "permission_denied")
    assert_refused(written(nobody), 401, "authentication_failed")
    assert Session.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_is_written_and_one_is_forked(begin: Begin) -> None:
    run = begin({"a": 1})
    found = at_once(
        lambda: written(run, state={"x": 1}), lambda: written(run, state={"y": 1})
    )

    assert sorted(answer.status for answer in found) == [200, 201]
    states = [answer.body["state"] for answer in found]
    assert sorted(states, key=str) == [{"a": 1, "x": 1}, {"a": 1, "y": 1}]
