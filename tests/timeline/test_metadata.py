"""Changing a session's metadata: merged, null removes, no version is made."""

from typing import Any

import pytest

from apps.audit.models import Event
from tests.timeline.runs import Begin, Run, assert_refused

pytestmark = pytest.mark.django_db


def test_it_merges_top_level_keys(begin: Begin) -> None:
    run = begin(metadata={"tier": "gold", "order": {"id": 17}})

    answer = run.client.patch(run.path(), {"metadata": {"order": {"n": 1}, "x": [1]}})

    expected = {"tier": "gold", "order": {"n": 1}, "x": [1]}
    assert answer.status == 200
    assert answer.body["metadata"] == run.get()["metadata"] == expected
    assert answer.body["object"] == "session"
    assert (answer.body["id"], answer.body["agent_id"]) == (run.id, "travel")
    assert answer.body.keys() >= {"updated_at", "ttl_expires_at"}


def test_null_removes_a_key(begin: Begin) -> None:
    run = begin(metadata={"tier": "gold", "x": 1})

    answer = run.client.patch(run.path(), {"metadata": {"tier": None, "absent": None}})

    assert answer.body["metadata"] == {"x": 1}


def test_it_makes_no_version_but_moves_the_session(run: Run) -> None:
    before = run.get()

    run.client.patch(run.path(), {"metadata": {"a": 1}})

    after = run.get()
    assert after["version"] == before["version"] == 2
    assert after["state"] == before["state"]
    assert after["updated_at"] >= before["updated_at"]


def test_the_filter_of_lists_follows(run: Run) -> None:
    run.client.patch(run.path(), {"metadata": {"order": {"id": 17}}})

    found = run.client.get("/v1/sessions", {"metadata": '{"order":{"id":17}}'})

    assert len(found.body["data"]) == 1


def test_it_is_told_in_the_traces(run: Run) -> None:
    run.client.patch(run.path(), {"metadata": {"a": 1}, "ttl_seconds": 60})
    run.client.patch(run.path(), {"metadata": {"a": 2, "b": 1}})

    events = Event.objects.filter(stream_id=run.id, action="session.updated")
    first, second = events.order_by("id").values_list("details", flat=True)
    assert first["ttl_seconds"] == 60
    assert second["metadata_diff"] == {
        "added": {"b": 1},
        "removed": {},
        "modified": {"a": {"from": 1, "to": 2}},
    }


def test_a_repeated_request_is_done_once_and_answered_as_it_was(run: Run) -> None:
    body = {"metadata": {"a": 1}}
    first = run.client.patch(run.path(), body, Idempotency_Key="k")
    run.client.patch(run.path(), {"metadata": {"a": 2}})

    again = run.client.patch(run.path(), body, Idempotency_Key="k")

    assert (again.status, again.body) == (200, first.body)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert run.get()["metadata"] == {"a": 2}


def test_a_key_with_another_body_is_refused(run: Run) -> None:
    run.client.patch(run.path(), {"metadata": {"a": 1}}, Idempotency_Key="k")

    answer = run.client.patch(run.path(), {"metadata": {"a": 2}}, Idempotency_Key="k")

    assert_refused(answer, 422, "idempotency_key_reused", "Idempotency-Key")
    assert run.get()["metadata"] == {"a": 1}


@pytest.mark.parametrize("value", [[1], "{}", 5, True])
def test_it_takes_an_object_only(run: Run, value: Any) -> None:
    answer = run.client.patch(run.path(), {"metadata": value})

    assert_refused(answer, 400, "invalid_request", "metadata")


@pytest.mark.parametrize(
    "body", [None, {}, {"metadata": None, "ttl_seconds": None}, {"metadata": {}}]
)
def test_nothing_to_change_is_refused_and_leaves_no_event(run: Run, body: Any) -> None:
    before = run.get()

    answer = run.client.patch(run.path(), body)

    assert_refused(answer, 400, "invalid_request", "metadata")
    assert run.get() == before
    events = Event.objects.filter(stream_id=run.id, action="session.updated")
    assert not events.exists()


def test_it_cannot_grow_beyond_64_kib(run: Run) -> None:
    run.client.patch(run.path(), {"metadata": {"a": "x" * 40_000}})

    answer = run.client.patch(run.path(), {"metadata": {"b": "x" * 40_000}})

    assert_refused(answer, 413, "payload_too_large", "metadata")
    assert list(run.get()["metadata"]) == ["a"]


def test_it_is_kept_value_exactly(run: Run) -> None:
    body = b'{"metadata":{"n":18446744073709551616,"f":-0.0,"":"\\u0000","b":1,"a":2}}'

    answer = run.client.patch(run.path(), body)

    assert body[len(b'{"metadata":') : -1] in answer.content
    assert body[len(b'{"metadata":') : -1] in run.client.get(run.path()).content
