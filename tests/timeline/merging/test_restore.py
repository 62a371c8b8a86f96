"""Restoring places of a state: these pointers and no others."""

from typing import Any

import pytest

from apps.core import json
from tests.timeline.runs import Begin, Run, assert_refused

pytestmark = pytest.mark.django_db

FIRST = {
    "customer": {"name": "Ada", "mail": "ada@example.com"},
    "lines": [{"id": 1, "n": 1}, {"id": 2, "n": 2}, {"id": 3, "n": 3}],
    "tags": ["x", "y"],
    "gone": {"deep": True},
}


@pytest.fixture
def run(begin: Begin) -> Run:
    made = begin(FIRST)
    made.put(
        {
            "customer": {"name": "Bob", "mail": "bob@example.com", "vip": True},
            "lines": [{"id": 3, "n": 30}, {"id": 1, "n": 10}],
            "tags": ["y", "z"],
            "new": 1,
        }
    )
    return made


def restore(run: Run, *pointers: Any, version: int = 0, **fields: Any) -> Any:
    body = {"version": version, "pointers": list(pointers), "expected_version": 1}
    return run.client.post(run.path("restore"), body | fields)


def test_only_these_places_are_restored(run: Run) -> None:
    query = json.dumps(["/customer/name", "/gone"]).decode()
    shown = run.get("restore", "preview", version=0, pointers=query)

    answer = restore(run, "/customer/name", "/gone")

    state = answer.body["state"]
    assert state["customer"] == {
        "name": "Ada",
        "mail": "bob@example.com",
        "vip": True,
    }
    assert state["gone"] == {"deep": True}
    assert (state["tags"], state["new"]) == (["y", "z"], 1)
    changed = [one["pointer"] for one in shown["result"]["changes"]]
    assert sorted(changed) == ["/customer/name", "/gone"]
    assert (shown["conflicts"], shown["changes_taken_count"]) == ([], 2)
    made = run.get("versions", 2)
    assert (made["op"], made["restored_version"]) == ("restore", None)
    assert (made["source_session_id"], made["source_version"]) == (run.id, 0)
    assert run.get("verify")["valid"]


def test_what_was_not_there_then_is_removed(run: Run) -> None:
    state = restore(run, "/new", "/customer/vip").body["state"]

    assert "new" not in state
    assert state["customer"] == {"name": "Bob", "mail": "bob@example.com"}


def test_a_way_that_is_gone_is_made_again(run: Run) -> None:
    assert restore(run, "/gone/deep").body["state"]["gone"] == {"deep": True}


def test_an_item_is_found_again_by_its_key(run: Run) -> None:
    state = restore(run, "/lines/0/n", "/lines/1", "/lines/2").body["state"]

    assert state["lines"] == [{"id": 3, "n": 3}, {"id": 1, "n": 1}, {"id": 2, "n": 2}]


def test_a_list_may_be_restored_as_a_whole(run: Run) -> None:
    assert restore(run, "/tags").body["state"]["tags"] == ["x", "y"]


@pytest.mark.parametrize(
    ("pointers", "param"),
    [
        ([], "pointers"),
        ([""], "/pointers/0"),
        (["/tags/0"], "/pointers/0"),
        (["/new", "/lines/7"], "/pointers/1"),
        (["/lines/01"], "/pointers/0"),
        (["/lines/1/n"], "/pointers/0"),
        (["/customer", "/customer/name"], "/pointers/1"),
        (["/new", "/new"], "/pointers/1"),
        (["new"], "/pointers/0"),
        (["/a~2"], "/pointers/0"),
        (["/never"], "/pointers/0"),
        (["/new/below/0"], "/pointers/0"),
        ([f"/k{number}" for number in range(1_001)], "pointers"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_cannot_be_restored_by_itself_is_refused(
    run: Run, pointers: Any, param: str
) -> None:
    answer = restore(run, *pointers)

    assert_refused(answer, 422, "unacceptable_pointer", param)
    assert run.head == 1


def test_a_place_that_is_as_it_was_is_nothing_to_restore(run: Run) -> None:
    restore(run, "/tags")

    answer = restore(run, "/tags", expected_version=2)

    assert_refused(answer, 409, "nothing_to_merge")


@pytest.mark.parametrize("version", [2, 99])
def test_a_version_that_is_not_there_is_not_found(run: Run, version: int) -> None:
    answer = restore(run, "/tags", version=version)

    assert_refused(answer, 404, "version_not_found", "version")


def test_a_preview_takes_a_list_of_pointers(run: Run) -> None:
    for given in ("/tags", "{}", "[1]", ""):
        query = {"version": 0, "pointers": given}
        answer = run.client.get(run.path("restore", "preview"), query)
        assert_refused(answer, 400, "invalid_request", "pointers")
