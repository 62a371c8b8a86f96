"""Naming the head one built on: in the body (409) or in If-Match (412)."""

from typing import Any

import pytest

from apps.timeline.models import Version
from tests.timeline.runs import Clients, Run, assert_refused, succeeded

pytestmark = pytest.mark.django_db
WRITES: list[tuple[str, str, dict[str, Any]]] = [
    ("PATCH", "state", {"state": {"a": 1}}),
    ("PUT", "state", {"state": {"a": 1}}),
    ("POST", "state", {"state": {"a": 1}}),
    ("POST", "rollback", {"version": 0}),
    ("POST", "state/rollback", {"version": 0}),
    ("POST", "turns", {"input": "i", "output": "o", "state_after": {"a": 1}}),
    ("POST", "turns", {"input": "i", "output": "o"}),
    ("POST", "pause", {}),
    ("POST", "close", {}),
]


def versions_of(run: Run) -> Any:
    return Version.objects.filter(session_id=run.id).count()


@pytest.mark.parametrize(("method", "path", "body"), WRITES)
def test_a_write_on_the_head_is_stored(
    run: Run, method: Any, path: Any, body: Any
) -> None:
    succeeded(run.client.send(method, run.path(path), {**body, "expected_version": 2}))


@pytest.mark.parametrize("number", [1, 3])
def test_a_write_on_another_version_is_a_conflict(run: Run, number: Any) -> None:
    for method, path, body in WRITES:
        answer = run.client.send(
            method, run.path(path), {**body, "expected_version": number}
        )

        assert_refused(answer, 409, "version_conflict", "expected_version")
    assert versions_of(run) == 3


def test_if_match_on_another_version_fails(run: Run) -> None:
    for method, path, body in WRITES:
        answer = run.client.send(method, run.path(path), body, {"If-Match": '"v1"'})

        assert_refused(answer, 412, "version_mismatch", "If-Match")
    assert versions_of(run) == 3


@pytest.mark.parametrize("tag", ['"v2"', "*"])
def test_if_match_on_the_head_or_any_is_stored(run: Run, tag: Any) -> None:
    answer = run.client.patch(run.path("state"), {"state": {"a": 1}}, If_Match=tag)

    assert (answer.status, answer.body["version"]) == (200, 3)


@pytest.mark.parametrize("status", [409, 412])
def test_the_refusal_says_who_wrote_the_head_when_and_what(
    run: Run, status: Any
) -> None:
    body = {"state": {"a": 1}}
    if status == 409:
        answer = run.client.patch(run.path("state"), {**body, "expected_version": 1})
    else:
        answer = run.client.patch(run.path("state"), body, If_Match='"v1"')

    told = answer.body["error"]
    head = run.get("versions", 2)
    assert answer.status == status
    assert (told["expected_version"], told["head"]) == (1, 2)
    assert told["head_written_by"] == head["updated_by"]
    assert told["head_written_at"][:19] == head["created_at"][:19]
    assert sorted(told["changed_paths"]) == ["/city", "/step"]
    assert answer.body["detail"] == told["message"]


def test_the_changed_paths_are_those_since_the_expected_version(run: Run) -> None:
    run.patch({"other": 1})

    answer = run.client.patch(
        run.path("state"), {"state": {"a": 1}, "expected_version": 2}
    )

    assert answer.body["error"]["changed_paths"] == ["/other"]


@pytest.mark.parametrize("value", ["3", 1.5, 2.0, True, -1, [], {}, 2**53 + 1, 2**63])
def test_what_is_no_version_number_is_never_cast(run: Run, value: Any) -> None:
    for method, path, body in WRITES:
        answer = run.client.send(
            method, run.path(path), {**body, "expected_version": value}
        )

        assert_refused(answer, 400, "invalid_request", "expected_version")
    assert versions_of(run) == 3


def test_a_number_of_5000_digits_is_refused_where_it_stands(run: Run) -> None:
    body = b'{"state": {}, "expected_version": ' + b"9" * 5000 + b"}"

    answer = run.client.patch(run.path("state"), body)

    assert_refused(answer, 422, "unacceptable_json", "/expected_version")


def test_null_is_as_if_it_were_not_sent(run: Run) -> None:
    assert run.patch({"a": 1}, expected_version=None).body["version"] == 3


@pytest.mark.parametrize(
    "tag", ["v2", '"2"', 'W/"v2"', '"v2", "v1"', "2", '"v02"', '"v-1"', "**", '""']
)
def test_an_if_match_that_names_no_version_is_refused(run: Run, tag: Any) -> None:
    answer = run.client.patch(run.path("state"), {"state": {"a": 1}}, If_Match=tag)

    assert_refused(answer, 400, "invalid_request", "If-Match")
    assert versions_of(run) == 3


def test_if_match_outranks_the_body(run: Run) -> None:
    body = {"state": {"a": 1}, "expected_version": 1}

    answer = run.client.patch(run.path("state"), body, If_Match='"v2"')

    assert answer.status == 200


def test_a_repeated_request_is_answered_although_the_head_has_moved(run: Run) -> None:
    body = {"state": {"a": 1}, "expected_version": 2}
    first = run.client.patch(run.path("state"), body, Idempotency_Key="k")
    run.patch({"a": 2})

    again = run.client.patch(run.path("state"), body, Idempotency_Key="k")

    assert (again.status, again.body) == (200, first.body)


def test_an_unknown_session_is_not_a_conflict(api: Clients) -> None:
    answer = api().patch(
        "/v1/sessions/sess_unknown/state", {"state": {}, "expected_version": 3}
    )

    assert_refused(answer, 404, "session_not_found")
