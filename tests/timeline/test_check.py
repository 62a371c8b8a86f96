"""Whether a version is as a check says, over the API."""

from typing import Any

import pytest

from apps.accounts.models import Project
from tests.timeline.runs import Begin, Clients, Keys, Run, assert_refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def order(begin: Begin) -> Run:
    """Return a session whose total grows, and whose destination is lost at the end."""
    run = begin({"total": 100, "destination": "NYC"})
    run.patch({"total": 1500})
    run.patch({"destination": None})
    return run


def outcomes(run: Run, check: str) -> list[str]:
    return [run.get("check", check=check, version=n)["outcome"] for n in range(3)]


def test_each_version_is_checked_as_it_was(order: Run) -> None:
    assert outcomes(order, "state.destination=null") == ["fails", "fails", "holds"]
    assert outcomes(order, "state.total<=1000") == ["holds", "fails", "fails"]


def test_the_version_before_is_what_was_means(order: Run) -> None:
    assert outcomes(order, "state.total>was.total") == ["fails", "holds", "fails"]


def test_the_head_is_checked_where_none_is_named(order: Run) -> None:
    body = order.get("check", check="state.total>1 and not state.destination=null")

    assert body | {"looks": 0} == {
        "object": "check",
        "session_id": order.id,
        "version": 2,
        "check": "state.total>1 AND NOT state.destination=null",
        "pointers": ["/destination", "/total"],
        "outcome": "fails",
        "holds": False,
        "looks": 0,
    }


def test_a_check_may_be_json(order: Run) -> None:
    check = '{"test": "=", "left": {"size": "state"}, "right": {"value": 2}}'

    body = order.get("check", check=check)

    assert (body["check"], body["outcome"]) == ("size:state=2", "holds")


def test_what_is_wrong_in_json_is_named_by_its_pointer(order: Run) -> None:
    check = '{"not": {"test": "there", "place": "stat/a"}}'

    answer = order.client.get(order.path("check"), {"check": check})

    assert_refused(answer, 400, "invalid_request", param="check")
    assert answer.body["error"]["message"].startswith("At /not/place: ")


@pytest.mark.parametrize(
    ("check", "pointer"),
    [
        ('{"test": []}', "/test"),
        ('{"test": {}}', "/test"),
        ('{"test": "type", "place": "state", "is": []}', "/is"),
        ('{"test": "format", "place": "state", "is": {}}', "/is"),
    ],
)
def test_a_list_where_json_has_a_name_is_refused(
    order: Run, check: str, pointer: str
) -> None:
    answer = order.client.get(order.path("check"), {"check": check})

    assert_refused(answer, 400, "invalid_request", param="check")
    assert pointer in answer.body["error"]["message"]


def test_a_state_that_is_too_large_is_undecided(begin: Begin) -> None:
    run = begin({"items": list(range(600_000))})

    body = run.get("check", check="unique:state.items")

    assert (body["outcome"], body["holds"]) == ("undecided", None)


@pytest.mark.parametrize(
    ("check", "position"),
    [
        ("state.total", 11),
        ("total<5", 0),
        ("state.a=1 OR state.b=2 AND state.c=3", 23),
        ("", 0),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_place(
    order: Run, check: str, position: int
) -> None:
    answer = order.client.get(order.path("check"), {"check": check})

    assert_refused(answer, 400, "invalid_request", param="check")
    assert answer.body["error"]["position"] == position


def test_without_a_check_it_is_refused(order: Run) -> None:
    assert_refused(order.client.get(order.path("check")), 400, "invalid_request")


def test_a_version_that_is_not_there_is_not_found(order: Run) -> None:
    query: dict[str, Any] = {"check": "there:state", "version": 3}

    assert_refused(
        order.client.get(order.path("check"), query), 404, "version_not_found"
    )


def test_another_projects_session_is_not_found(
    order: Run, api: Clients, make_key: Keys, other_project: Project
) -> None:
    stranger = api(make_key(project=other_project))

    answer = stranger.get(order.path("check"), {"check": "there:state"})
    assert_refused(answer, 404, "session_not_found")
