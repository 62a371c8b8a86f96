"""Pausing, resuming and closing: who may still do what."""

from typing import Any

import pytest

from tests.timeline.runs import Run, assert_refused, succeeded

pytestmark = pytest.mark.django_db
AGENT_WRITES = [
    ("PATCH", "state", {"state": {"a": 1}}),
    ("PUT", "state", {"state": {"a": 1}}),
    ("POST", "state", {"state": {"a": 1}}),
    ("POST", "turns", {"input": "i", "output": "o"}),
    ("POST", "turns", {"input": "i", "output": "o", "state_after": {"a": 1}}),
]
ALL_WRITES = [
    *AGENT_WRITES,
    ("POST", "rollback", {"version": 0}),
    ("POST", "state/rollback", {"version": 0, "hold": True}),
    ("POST", "pause", {}),
    ("POST", "resume", {}),
    ("POST", "close", {}),
]
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


def test_a_paused_session_refuses_what_agents_write(run: Run) -> None:
    run.hold("pause")

    for method, path, body in AGENT_WRITES:
        answer = run.client.send(method, run.path(path), body)

        assert_refused(answer, 423, "session_paused")
        assert answer.body["error"]["head"] == 3
    assert run.head == 3
    assert run.get("turns")["data"] == []


@pytest.mark.parametrize(
    ("verb", "status", "code"),
    [("pause", 423, "session_paused"), ("close", 409, "session_closed")],
)
def test_a_writer_that_is_held_back_is_told_so_before_its_stale_head(
    run: Run, verb: Any, status: Any, code: Any
) -> None:
    run.hold(verb)

    by_field = {"state": {"a": 1}, "expected_version": 2}
    answer = run.client.patch(run.path("state"), by_field)
    assert_refused(answer, status, code)
    by_header = run.client.put(run.path("state"), {"state": {}}, If_Match='"v2"')
    assert_refused(by_header, status, code)


def test_a_closed_session_is_closed_whatever_is_rolled_back_to(run: Run) -> None:
    run.hold("close")

    answer = run.client.post(run.path("rollback"), {"version": 99})

    assert_refused(answer, 409, "session_closed")


def test_a_pause_is_a_version_with_the_same_state(run: Run) -> None:
    body = run.hold("pause", reason="Look at this.")

    version = run.get("versions", 3)
    assert (body["version"], body["hold"]) == (3, "paused")
    assert body["state"] == {"step": 2, "city": "NYC"}
    assert (version["op"], version["hold"]) == ("pause", "paused")
    assert version["reasoning"] == "Look at this."
    assert version["change_count"] == 0
    assert run.get()["status"] == "paused"


@pytest.mark.parametrize("verb", ["pause", "resume", "close"])
def test_no_body_is_needed(run: Run, verb: Any) -> None:
    if verb == "resume":
        run.hold("pause")

    assert run.client.post(run.path(verb)).status == 200


def test_a_paused_session_can_be_rolled_back_and_stays_paused(run: Run) -> None:
    run.hold("pause")

    body = run.rollback(0)

    assert body["hold"] == "paused"
    assert run.get()["status"] == "paused"
    refused = run.client.patch(run.path("state"), {"state": {"a": 1}})
    assert_refused(refused, 423, "session_paused")


def test_a_resumed_session_takes_writes_again(run: Run) -> None:
    run.hold("pause")
    run.rollback(0)

    body = run.hold("resume")

    assert (body["version"], body["hold"]) == (5, "open")
    assert run.get()["status"] == "active"
    assert run.patch({"city": "Oslo"}).body["state"] == {"step": 0, "city": "Oslo"}


def test_pausing_twice_says_so(run: Run) -> None:
    run.hold("pause")

    answer = run.client.post(run.path("pause"))

    assert_refused(answer, 409, "already_paused")
    assert answer.body["error"]["head"] == run.head == 3


def test_only_a_paused_session_can_be_resumed(run: Run) -> None:
    answer = run.client.post(run.path("resume"))

    assert_refused(answer, 409, "not_paused")
    assert run.head == 2


@pytest.mark.parametrize("before", ["open", "paused"])
def test_a_closed_session_refuses_every_write(run: Run, before: Any) -> None:
    if before == "paused":
        run.hold("pause")
    head = run.hold("close")["version"]

    for method, path, body in ALL_WRITES:
        answer = run.client.send(method, run.path(path), body)

        assert_refused(answer, 409, "session_closed")
        assert answer.body["error"]["head"] == head
    assert run.head == head


@pytest.mark.parametrize("verb", ["pause", "close"])
def test_a_held_session_can_be_read(run: Run, verb: Any) -> None:
    run.hold(verb)

    for read in READS:
        assert run.client.get(run.path() + read).status == 200


@pytest.mark.parametrize("verb", ["pause", "close"])
def test_a_held_session_can_be_labelled_deleted_and_given_metadata(
    run: Run, verb: Any
) -> None:
    run.hold(verb)
    client = run.client

    succeeded(client.post(run.path("versions", 1, "labels"), {"label": "good"}))
    succeeded(client.patch(run.path(), {"metadata": {"checked": True}}))
    succeeded(client.delete(run.path()))


def test_a_closed_session_says_so_in_lists(run: Run) -> None:
    run.hold("close", reason="Done.")

    assert run.get()["status"] == "closed"
    assert run.get("state")["hold"] == "closed"


def test_closing_tells_why(run: Run) -> None:
    run.hold("close", reasoning="Done.")

    version = run.get("versions", 3)
    assert (version["op"], version["reasoning"]) == ("close", "Done.")


@pytest.mark.parametrize("verb", ["pause", "close"])
def test_a_repeated_request_is_done_once(run: Run, verb: Any) -> None:
    first = run.client.post(run.path(verb), {}, Idempotency_Key="k")
    again = run.client.post(run.path(verb), {}, Idempotency_Key="k")

    assert (again.status, again.body) == (200, first.body)
    assert run.head == 3


def test_a_write_stored_before_the_pause_is_still_answered(run: Run) -> None:
    body = {"state": {"a": 1}}
    first = run.client.patch(run.path("state"), body, Idempotency_Key="k")
    run.hold("close")

    again = run.client.patch(run.path("state"), body, Idempotency_Key="k")

    assert (again.status, again.body) == (200, first.body)


@pytest.mark.parametrize("body", [{"reason": 5}, {"expected_version": "2"}])
def test_it_names_the_field_that_it_refuses(run: Run, body: Any) -> None:
    (param,) = body

    answer = run.client.post(run.path("pause"), body)

    assert_refused(answer, 400, "invalid_request", param)
