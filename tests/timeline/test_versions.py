"""Listing and reading versions, states and the history of a session."""

from typing import Any

import pytest

from tests.timeline.runs import Run, assert_refused

pytestmark = pytest.mark.django_db


def numbers(body: Any) -> Any:
    return [version["version"] for version in body["data"]]


def test_the_newest_come_first_without_states(run: Run) -> None:
    body = run.get("versions")

    assert numbers(body) == [2, 1, 0]
    assert body["object"] == "list"
    assert body["current_version"] == 2
    assert (body["first_id"], body["last_id"], body["has_more"]) == ("2", "0", False)
    assert all("state" not in version for version in body["data"])
    assert [version["op"] for version in body["data"]] == ["update", "update", "create"]


def test_states_come_when_they_are_asked_for(run: Run) -> None:
    body = run.get("versions", include_state="true")

    assert [version["state"]["step"] for version in body["data"]] == [2, 1, 0]


@pytest.mark.parametrize(
    ("order", "expected"), [("desc", [4, 3, 2, 1, 0]), ("asc", [0, 1, 2, 3, 4])]
)
def test_pages_go_in_both_directions(run: Run, order: Any, expected: Any) -> None:
    run.patch({"step": 3})
    run.patch({"step": 4})
    seen, query = [], {"limit": 2, "order": order}

    while True:
        body = run.get("versions", **query)
        seen += numbers(body)
        if not body["has_more"]:
            break
        query["starting_after"] = body["last_id"]

    assert seen == expected


def test_versions_set_aside_name_the_rollback(run: Run) -> None:
    run.rollback(1)
    run.patch({"step": 9})
    run.rollback(0)

    aside = {
        version["version"]: version["set_aside_by"]
        for version in run.get("versions")["data"]
    }

    assert aside == {5: None, 4: 5, 3: 5, 2: 5, 1: 5, 0: None}
    assert run.get("versions", 2)["set_aside_by"] == 5
    assert run.get("versions", 0)["set_aside_by"] is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("order", "up"),
        ("limit", "0"),
        ("limit", "101"),
        ("starting_after", "x"),
        ("starting_after", "-2"),
        ("starting_after", str(2**63)),
        ("include_state", "yes"),
    ],
)
def test_a_list_names_the_parameter_that_it_refuses(
    run: Run, name: Any, value: Any
) -> None:
    answer = run.client.get(run.path("versions"), {name: value})

    assert_refused(answer, 400, "invalid_request", name)


@pytest.mark.parametrize(
    ("number", "expected"), [(0, 0), (2, 2), (-1, 1), (-2, 0), ("01", 1)]
)
def test_it_reads_a_version_with_its_state(
    run: Run, number: Any, expected: Any
) -> None:
    answer = run.client.get(run.path("versions", number))

    assert answer.headers["ETag"] == f'"v{expected}"'
    assert answer.body["version"] == expected
    assert answer.body["state"]["step"] == expected
    assert answer.body["object"] == "version"
    assert len(answer.body["chain"]) == 64


def test_a_version_says_what_it_changed(run: Run) -> None:
    changes = run.get("versions", 2)["changes"]

    assert changes == [
        {"pointer": "/step", "kind": "changed", "before": 1, "after": 2},
        {"pointer": "/city", "kind": "changed", "before": "Rome", "after": "NYC"},
    ]


@pytest.mark.parametrize("number", [3, 99, -3, 10**17])
def test_a_version_that_is_not_there_is_not_found(run: Run, number: Any) -> None:
    answer = run.client.get(run.path("versions", number))

    assert_refused(answer, 404, "version_not_found", "version")
    assert answer.body["error"]["head"] == 2


@pytest.mark.parametrize(
    "number",
    ["latest", "1e2", "1.0", "--1", "-", "+1", "v1", "٣", "9" * 20, "9" * 5000],
)
def test_what_is_no_version_number_is_refused(run: Run, number: Any) -> None:
    answer = run.client.get(run.path("versions", number))

    assert_refused(answer, 400, "invalid_request", "version")


def test_the_history_of_states_can_be_indexed_by_number(run: Run) -> None:
    run.rollback(0)

    body = run.get("state", "history")

    assert numbers(body) == [0, 1, 2, 3]
    assert body["current_version"] == 3
    assert body["session_id"] == run.id
    for number in range(4):
        item = body["data"][number]
        assert item["state"] == run.get("versions", number)["state"]
        assert item.keys() >= {"version", "state", "created_at", "updated_by"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"since_version": 0}, [1, 2]),
        ({"since_version": 2}, []),
        ({"since_version": -1}, [0, 1, 2]),
        ({"since_version": 99}, []),
        ({"order": "desc"}, [2, 1, 0]),
        ({"limit": 1}, [0]),
        ({"limit": 1, "since_version": 0}, [1]),
    ],
)
def test_the_history_of_states_goes_on_from_a_version(
    run: Run, query: Any, expected: Any
) -> None:
    body = run.get("state", "history", **query)

    assert numbers(body) == expected
    assert body["has_more"] is (query.get("limit") == 1)


def test_the_history_of_states_can_do_without_them(run: Run) -> None:
    body = run.get("state", "history", include_state="false")

    assert all("state" not in version for version in body["data"])


@pytest.mark.parametrize(
    ("name", "value"), [("since_version", "x"), ("since_version", "-2"), ("limit", "0")]
)
def test_the_history_of_states_names_what_it_refuses(
    run: Run, name: Any, value: Any
) -> None:
    answer = run.client.get(run.path("state", "history"), {name: value})

    assert_refused(answer, 400, "invalid_request", name)


def test_history_holds_versions_turns_and_traces(run: Run) -> None:
    turn = run.turn("Where to?")

    body = run.get("history")

    assert body["object"] == "history"
    assert body["current_version"] == 2
    assert numbers(body) == [2, 1, 0]
    assert [version["state"]["step"] for version in body["data"]] == [2, 1, 0]
    assert [one["id"] for one in body["turns"]] == [turn["id"]]
    actions = [trace["action"] for trace in body["traces"]]
    assert actions == [
        "turn.added",
        "state.updated",
        "state.updated",
        "session.created",
    ]


def test_history_leaves_out_what_is_not_wanted(run: Run) -> None:
    body = run.get("history", include_state="false", include_traces="false")

    assert "traces" not in body
    assert all("state" not in version for version in body["data"])


def test_history_has_pages(run: Run) -> None:
    first = run.get("history", limit=2)
    second = run.get("history", limit=2, starting_after=1)

    assert (numbers(first), first["has_more"]) == ([2, 1], True)
    assert (numbers(second), second["has_more"]) == ([0], False)
