"""Reading a session and its state; whom there is nothing to read for."""

from typing import Any

import pytest

from apps.accounts.models import Project
from tests.timeline.runs import Clients, Keys, Run, assert_refused

pytestmark = pytest.mark.django_db
READS = [
    "",
    "/state",
    "/state/history",
    "/versions",
    "/versions/0",
    "/checkpoint",
    "/changes?from=0",
    "/turns",
    "/history",
]


def test_it_reads_the_head_of_a_session(run: Run) -> None:
    read = run.client.get(run.path())

    assert read.headers["ETag"] == '"v2"'
    assert read.body["version"] == 2
    assert read.body["state"] == {"step": 2, "city": "NYC"}
    assert read.body["turn_count"] == read.body["memory_count"] == 0
    assert read.body["rollback_count"] == 0
    assert read.body["last_rollback"] is None
    assert read.body["updated_at"] >= read.body["created_at"]


def test_it_counts_turns_and_rollbacks(run: Run) -> None:
    run.turn()
    run.turn(state_after={"step": 3})
    run.rollback(0)

    read = run.get()

    assert (read["turn_count"], read["rollback_count"]) == (2, 1)


def test_it_reads_a_state_under_both_of_its_names(run: Run) -> None:
    read = run.client.get(run.path("state"))

    assert read.headers["ETag"] == '"v2"'
    assert read.body["state"] == read.body["data"] == {"step": 2, "city": "NYC"}
    assert read.body["session_id"] == run.id
    assert read.body["hold"] == "open"
    assert read.body["created_at"] == run.made.body["created_at"]


def test_a_state_that_has_not_moved_is_not_sent_again(run: Run) -> None:
    client = run.client

    same = client.send("GET", run.path("state"), headers={"If-None-Match": '"v2"'})
    moved = client.send("GET", run.path("state"), headers={"If-None-Match": '"v1"'})

    assert (same.status, same.content) == (304, b"")
    assert same.headers["ETag"] == '"v2"'
    assert moved.status == 200


@pytest.mark.parametrize(
    "session_id", ["sess_unknown", "SESS_0", "{x}", "..%2f..", "é", "s" * 10_000]
)
def test_an_id_that_nobody_has_is_not_found(api: Clients, session_id: Any) -> None:
    client = api()

    for read in READS:
        answer = client.get(f"/v1/sessions/{session_id}{read}")

        assert_refused(answer, 404, answer.code)


def test_a_session_of_another_project_is_not_found(
    api: Clients, run: Run, make_key: Keys, other_project: Project
) -> None:
    stranger = api(make_key(project=other_project))

    for read in READS:
        assert_refused(stranger.get(run.path() + read), 404, "session_not_found")


def test_a_session_of_another_agent_is_not_found(
    api: Clients, run: Run, make_key: Keys
) -> None:
    limited = api(make_key(agents=["billing"]))

    for read in READS:
        assert_refused(limited.get(run.path() + read), 404, "session_not_found")


def test_a_read_only_key_reads(api: Clients, run: Run, make_key: Keys) -> None:
    reader = api(make_key(scope="read"))

    for read in READS:
        assert reader.get(run.path() + read).status == 200


def test_an_id_in_capitals_is_another_id(run: Run) -> None:
    answer = run.client.get(f"/v1/sessions/{run.id.upper()}")

    assert_refused(answer, 404, "session_not_found")


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("", {"GET", "PATCH", "DELETE"}),
        ("/state", {"GET", "PATCH", "PUT", "POST"}),
        ("/state/history", {"GET"}),
        ("/state/rollback", {"POST"}),
        ("/rollback", {"POST"}),
        ("/fork", {"POST"}),
        ("/pause", {"POST"}),
        ("/resume", {"POST"}),
        ("/close", {"POST"}),
        ("/versions", {"GET", "POST"}),
        ("/versions/0", {"GET"}),
        ("/versions/0/labels", {"POST"}),
        ("/versions/0/labels/x", {"DELETE"}),
        ("/checkpoint", {"GET"}),
        ("/changes", {"GET"}),
        ("/turns", {"GET", "POST"}),
        ("/turns/x", {"GET"}),
        ("/context", {"POST"}),
        ("/history", {"GET"}),
    ],
)
def test_another_method_is_refused_with_those_that_are_allowed(
    run: Run, path: Any, allowed: Any
) -> None:
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - allowed:
        answer = run.client.send(method, run.path() + path, {})

        assert_refused(answer, 405, "method_not_allowed")
        assert allowed <= set(answer.headers["Allow"].split(", "))
    assert run.head == 2
