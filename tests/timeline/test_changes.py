"""What differs between two versions, in pointers and in words."""

from typing import Any

import jsonpatch
import pytest

from apps.accounts.models import Project
from tests.timeline.runs import Begin, Clients, Keys, Run, assert_refused

pytestmark = pytest.mark.django_db


def test_it_lists_what_changed_up_to_the_head(run: Run) -> None:
    body = run.get("changes", **{"from": 0})

    assert body["object"] == "change_list"
    assert body["session_id"] == run.id
    assert (body["from_version"], body["to_version"]) == (0, 2)
    assert body["changes"] == [
        {"pointer": "/step", "kind": "changed", "before": 0, "after": 2},
        {"pointer": "/city", "kind": "changed", "before": "Rome", "after": "NYC"},
    ]
    assert (body["change_count"], body["truncated"]) == (2, False)
    assert body["summary"] == (
        "city changed from Rome to NYC; step changed from 0 to 2"
    )


def test_it_works_in_the_other_direction(run: Run) -> None:
    body = run.get("changes", **{"from": 2, "to": 0})

    assert (body["from_version"], body["to_version"]) == (2, 0)
    assert body["changes"][1]["after"] == "Rome"


def test_it_takes_negative_numbers(run: Run) -> None:
    body = run.get("changes", **{"from": -2, "to": -1})

    assert (body["from_version"], body["to_version"]) == (0, 1)


def test_a_version_does_not_differ_from_itself(run: Run) -> None:
    body = run.get("changes", **{"from": 1, "to": 1})

    assert (body["changes"], body["change_count"]) == ([], 0)
    assert body["summary"] == "state unchanged"


def test_a_rollback_differs_in_nothing_from_what_it_restored(run: Run) -> None:
    run.rollback(0)

    assert run.get("changes", **{"from": 0, "to": 3})["changes"] == []


def test_every_kind_of_change_is_told(begin: Begin) -> None:
    run = begin({"gone": 1, "type": 1, "value": 1, "same": [1, 2]})

    run.put({"type": "1", "value": 2, "same": [1, 2], "new": None})

    body = run.get("changes", **{"from": 0})
    kinds = {change["pointer"]: change["kind"] for change in body["changes"]}
    assert kinds == {
        "/gone": "removed",
        "/type": "type_changed",
        "/value": "changed",
        "/new": "added",
    }
    by_pointer = {change["pointer"]: change for change in body["changes"]}
    assert "after" not in by_pointer["/gone"]
    assert by_pointer["/new"]["after"] is None
    assert "before" not in by_pointer["/new"]


def test_list_items_are_known_by_their_ids(begin: Begin) -> None:
    one, two, three = ({"id": n, "seat": f"{n}A"} for n in (1, 2, 3))
    run = begin({"guests": [one, two, three]})

    run.put({"guests": [three, one, {**two, "seat": "9F"}]})

    body = run.get("changes", **{"from": 0})
    moved = [change for change in body["changes"] if change["kind"] == "moved"]
    changed = [change for change in body["changes"] if change["kind"] == "changed"]
    assert [(one["from_pointer"], one["pointer"]) for one in moved] == [
        ("/guests/2", "/guests/0")
    ]
    assert [(one["pointer"], one["before"], one["after"]) for one in changed] == [
        ("/guests/2/seat", "2A", "9F")
    ]


def test_pointers_are_escaped_and_values_exact(begin: Begin) -> None:
    run = begin({"a/b": {"~": 2**64}})

    run.put({"a/b": {"~": 2**64 + 1}})

    (change,) = run.get("changes", **{"from": 0})["changes"]
    assert change["pointer"] == "/a~1b/~0"
    assert (change["before"], change["after"]) == (2**64, 2**64 + 1)


def test_many_changes_are_counted_and_cut(begin: Begin) -> None:
    run = begin({"list": {str(n): n for n in range(2500)}})

    run.put({"list": {str(n): -n - 1 for n in range(2500)}})

    body = run.get("changes", **{"from": 0})
    assert len(body["changes"]) == 2000
    assert body["change_count"] == 2500
    assert body["truncated"] is True


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ({}, "from"),
        ({"from": "x"}, "from"),
        ({"from": "1.0"}, "from"),
        ({"from": ""}, "from"),
        ({"from": str(2**63)}, "from"),
        ({"from": "0", "to": "head"}, "to"),
        ({"from": "0", "format": "diff"}, "format"),
        ({"from": "0", "other": "\0"}, "other"),
    ],
)
def test_it_names_the_parameter_that_it_refuses(
    run: Run, query: Any, param: Any
) -> None:
    answer = run.client.get(run.path("changes"), query)

    assert_refused(answer, 400, "invalid_request", param)


@pytest.mark.parametrize("query", [{"from": 3}, {"from": 0, "to": 3}, {"from": -3}])
def test_a_version_that_is_not_there_is_not_found(run: Run, query: Any) -> None:
    answer = run.client.get(run.path("changes"), query)

    assert_refused(answer, 404, "version_not_found", "version")


def test_it_compares_with_a_version_of_another_session(run: Run, begin: Begin) -> None:
    other = begin({"step": 1, "city": "Oslo"})
    other.patch({"step": 7})

    body = run.get("changes", **{"from": 1, "to": 0, "other": other.id})

    assert (body["session_id"], body["from_version"]) == (run.id, 1)
    assert (body["to_session_id"], body["to_version"]) == (other.id, 0)
    assert [(one["pointer"], one["after"]) for one in body["changes"]] == [
        ("/city", "Oslo")
    ]


def test_of_another_session_it_takes_the_head_unless_told_otherwise(run: Run) -> None:
    fork = run.fork(version=0)
    fork.patch({"city": "Oslo"})

    body = run.get("changes", **{"from": -1, "other": fork.id})

    assert (body["from_version"], body["to_version"]) == (1, 1)
    assert body["changes"][-1]["after"] == "Oslo"


def test_a_version_that_the_other_session_lacks_is_not_found(
    run: Run, begin: Begin
) -> None:
    query = {"from": 0, "to": 2, "other": begin().id}

    answer = run.client.get(run.path("changes"), query)

    assert_refused(answer, 404, "version_not_found", "version")


def test_a_session_that_is_not_there_cannot_be_the_other(
    run: Run, begin: Begin
) -> None:
    gone = begin()
    gone.client.delete(gone.path())

    for other in (gone.id, "sess_0", ""):
        answer = run.client.get(run.path("changes"), {"from": 0, "other": other})

        assert_refused(answer, 404, "session_not_found")


def test_another_projects_session_cannot_be_the_other(
    run: Run, begin: Begin, api: Clients, make_key: Keys, other_project: Project
) -> None:
    theirs = begin(client=api(make_key(project=other_project)))

    for one, other in ((run, theirs), (theirs, run)):
        answer = one.client.get(one.path("changes"), {"from": 0, "other": other.id})

        assert_refused(answer, 404, "session_not_found")


def test_a_limited_key_cannot_compare_with_another_agents_session(
    run: Run, begin: Begin, api: Clients, make_key: Keys
) -> None:
    limited = api(make_key(agents=["billing"]))
    mine = begin(client=limited, agent_id="billing")

    answer = limited.get(mine.path("changes"), {"from": 0, "other": run.id})

    assert_refused(answer, 404, "session_not_found")


def test_a_patch_makes_the_one_state_the_other(begin: Begin) -> None:
    one, two, three = ({"id": n, "seat": f"{n}A"} for n in (1, 2, 3))
    run = begin({"guests": [one, two, three], "gone": 1, "a/b": {"~": 2**64}})
    run.put({"guests": [{**three, "seat": None}, one], "a/b": {"~": 1.0}, "new": []})

    body = run.get("changes", **{"from": 0, "format": "patch"})

    assert body["object"] == "patch"
    assert (body["session_id"], body["to_session_id"]) == (run.id, run.id)
    assert (body["from_version"], body["to_version"]) == (0, 1)
    before = run.get("versions", 0)["state"]
    assert jsonpatch.apply_patch(before, body["patch"]) == run.state
    assert {"op": "remove", "path": "/gone"} in body["patch"]
    assert {"op": "replace", "path": "/a~1b/~0", "value": 1.0} in body["patch"]


def test_a_patch_of_nothing_is_empty(run: Run) -> None:
    body = run.get("changes", **{"from": 2, "format": "patch"})

    assert body["patch"] == []


@pytest.mark.parametrize("size", [2_500, 12_000])
def test_a_patch_is_never_cut(begin: Begin, size: int) -> None:
    run = begin({"list": {str(n): n for n in range(size)}, "same": 1})
    run.put({"list": {str(n): -n - 1 for n in range(size)}, "same": 1})

    body = run.get("changes", **{"from": 0, "format": "patch"})

    before = run.get("versions", 0)["state"]
    assert jsonpatch.apply_patch(before, body["patch"]) == run.state
