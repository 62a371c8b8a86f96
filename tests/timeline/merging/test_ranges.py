"""Reverting versions and applying them once more: what came later is kept."""

from typing import Any

import pytest

from apps.accounts import operations as accounts
from tests.acts import act_by
from tests.timeline.runs import Begin, Run, assert_refused

pytestmark = pytest.mark.django_db

FIRST = {"city": "Rome", "seats": 1, "notes": ["a", "b"]}


@pytest.fixture
def run(begin: Begin) -> Run:
    """Version 1 changes the city, 2 the seats, 3 adds a note."""
    made = begin(FIRST)
    made.patch({"city": "Oslo"})
    made.patch({"seats": 2})
    made.patch({"notes": ["a", "b", "c"]})
    return made


def ask(run: Run, verb: str, first: int, last: int, **fields: Any) -> Any:
    body = {"first_version": first, "last_version": last, **fields}
    return run.client.post(run.path(verb), {"expected_version": run.head, **body})


def shown(run: Run, verb: str, first: int, last: int) -> Any:
    return run.get(verb, "preview", first_version=first, last_version=last)


def test_a_version_in_the_middle_is_taken_back_and_the_rest_is_kept(run: Run) -> None:
    preview = shown(run, "revert", 1, 1)
    answer = ask(run, "revert", 1, 1)

    assert preview["source"] == {"session_id": run.id, "version": 0}
    assert preview["base"] == {"session_id": run.id, "version": 1}
    assert preview["outside"]
    assert answer.body["state"] == {
        "city": "Rome",
        "seats": 2,
        "notes": ["a", "b", "c"],
    }
    made = run.get("versions", 4)
    assert (made["op"], made["restored_version"]) == ("revert", None)
    assert (made["source_session_id"], made["source_version"]) == (run.id, 0)
    assert run.get("verify")["valid"]


@pytest.mark.parametrize("first", [1, 2, 3])
def test_of_the_newest_versions_it_leaves_what_a_rollback_leaves(
    run: Run, first: int
) -> None:
    twin = run.fork()
    twin.put(FIRST)
    for state in ({"city": "Oslo"}, {"seats": 2}, {"notes": ["a", "b", "c"]}):
        twin.patch(state)

    answer = ask(run, "revert", first, 3)
    rolled = twin.rollback(first)

    assert answer.status == 200
    assert answer.body["state"] == rolled["state"]


def test_what_a_rollback_set_aside_is_applied_again(run: Run) -> None:
    run.rollback(0)
    run.patch({"seats": 4})

    answer = ask(run, "reapply", 1, 1)

    assert answer.body["state"] == {"city": "Oslo", "seats": 4, "notes": ["a", "b"]}
    assert run.get("versions", 6)["op"] == "reapply"
    clash = ask(run, "reapply", 2, 3)
    assert_refused(clash, 409, "merge_conflict")
    (conflict,) = clash.body["error"]["conflicts"]
    assert conflict["pointer"] == "/seats"
    made = ask(run, "reapply", 2, 3, choices={conflict["id"]: "ours"})
    assert made.body["state"]["seats"] == 4
    assert made.body["state"]["notes"] == ["a", "b", "c"]


def test_what_was_taken_back_already_is_nothing_to_take_back(run: Run) -> None:
    assert ask(run, "revert", 1, 1).status == 200

    assert_refused(ask(run, "revert", 1, 1), 409, "nothing_to_merge")
    assert_refused(ask(run, "reapply", 2, 2), 409, "nothing_to_merge")
    assert shown(run, "revert", 1, 1)["nothing_to_merge"]
    assert run.head == 4


@pytest.mark.parametrize("verb", ["revert", "reapply"])
@pytest.mark.parametrize(
    ("first", "last", "param"),
    [(0, 1, "first"), (3, 2, "first"), (1, 4, "last"), (2, 2**40, "last")],
)
def test_versions_that_are_none_are_refused(
    run: Run, verb: str, first: int, last: int, param: str
) -> None:
    answer = ask(run, verb, first, last)
    query = {"first_version": first, "last_version": last}
    preview = run.client.get(run.path(verb, "preview"), query)

    assert_refused(answer, 422, "unacceptable_range", param)
    assert_refused(preview, 422, "unacceptable_range", param)
    assert run.head == 3


def test_what_both_sides_have_made_alike_is_nothing_to_apply_again(
    begin: Begin,
) -> None:
    """Whatever parts there are beside the state, and were put together anew."""
    run = begin({"gone": None})
    run.put({}, tool_results={})
    run.patch({"later": None})

    refused = ask(run, "reapply", 1, 1)

    assert_refused(refused, 409, "nothing_to_merge")
    assert run.head == 2


def test_both_sides_inserting_at_one_place_is_chosen_in_an_order(run: Run) -> None:
    run.rollback(2)
    run.patch({"notes": ["a", "b", "d"]})
    (conflict,) = shown(run, "reapply", 3, 3)["conflicts"]
    chosen = {conflict["id"]: "theirs_ours"}

    answer = ask(run, "reapply", 3, 3, choices=chosen)

    assert (conflict["kind"], conflict["pointer"]) == ("inserted", "/notes/2")
    assert answer.body["state"]["notes"] == ["a", "b", "c", "d"]


def test_a_project_that_requires_reasons_requires_one_of_a_revert(
    run: Run, project: Any
) -> None:
    accounts.require_rollback_reason(act=act_by(), project=project, is_required=True)

    assert_refused(ask(run, "revert", 1, 1), 400, "reason_required", "reasoning")
    assert ask(run, "revert", 1, 1, reasoning="It was Rome").status == 200
