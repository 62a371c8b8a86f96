"""Updating a state: what is merged, what is removed, what is carried over."""

from typing import Any

import pytest

from apps.timeline.models import Version
from tests.timeline.runs import Begin, Run, assert_refused

pytestmark = pytest.mark.django_db


def versions_of(run: Run) -> Any:
    return Version.objects.filter(session_id=run.id).count()


def test_it_merges_top_level_keys_as_a_new_version(begin: Begin) -> None:
    run = begin({"city": "Rome", "guests": {"adults": 2, "children": 1}})

    answer = run.patch({"guests": {"adults": 3}, "nights": 2})

    assert answer.status == 200
    assert answer.headers["ETag"] == '"v1"'
    assert answer.body["version"] == 1
    expected = {"city": "Rome", "guests": {"adults": 3}, "nights": 2}
    assert answer.body["state"] == answer.body["data"] == expected
    assert answer.body["session_id"] == run.id
    assert answer.body["updated_at"] >= answer.body["created_at"]
    assert answer.body["trace_id"]
    assert answer.body["last_rollback"] is None
    assert run.state == expected
    assert run.get("versions", 0)["state"]["guests"] == {"adults": 2, "children": 1}


def test_keys_keep_their_places_and_new_ones_come_last(begin: Begin) -> None:
    run = begin({"b": 1, "a": 2})

    answer = run.patch({"c": 3, "b": 4})

    assert list(answer.body["state"]) == ["b", "a", "c"]


def test_null_is_stored_as_null(begin: Begin) -> None:
    run = begin({"destination": "NYC", "a": 1})

    answer = run.patch({"destination": None})

    assert answer.body["state"] == {"destination": None, "a": 1}
    assert run.get("versions", 1)["flags"] == ["nulled"]


def test_it_removes_what_the_pointers_name(begin: Begin) -> None:
    run = begin({"a": 1, "b": {"c": [1, 2, 3], "d/e": 4, "f~": 5}})

    answer = run.patch(remove=["/a", "/b/c/1", "/b/d~1e", "/b/f~0"])

    assert answer.body["state"] == {"b": {"c": [1, 3]}}


def test_it_removes_after_it_has_merged(begin: Begin) -> None:
    run = begin({"a": 1})

    answer = run.patch({"b": {"c": 1, "d": 2}}, remove=["/b/c", "/a"])

    assert answer.body["state"] == {"b": {"d": 2}}


@pytest.mark.parametrize(
    "pointer", ["/absent", "/a/b", "/list/2", "/list/-1", "/list/01", "/list/-", ""]
)
def test_a_pointer_to_nothing_is_refused_by_name(begin: Begin, pointer: Any) -> None:
    run = begin({"a": 1, "list": [1, 2]})

    answer = run.client.patch(run.path("state"), {"remove": ["/a", pointer]})

    assert_refused(answer, 422, "unacceptable_json", pointer)
    assert versions_of(run) == 1


@pytest.mark.parametrize("pointer", ["a", "/a~2", "#/a"])
def test_what_is_no_pointer_is_refused_by_name(begin: Begin, pointer: Any) -> None:
    run = begin({"a": 1})

    answer = run.client.patch(run.path("state"), {"remove": [pointer]})

    assert_refused(answer, 422, "unacceptable_json", pointer)
    assert versions_of(run) == 1


def test_updates_is_another_name_for_state(begin: Begin) -> None:
    run = begin({"a": 1})

    answer = run.patch(updates={"b": 2})

    assert answer.body["state"] == {"a": 1, "b": 2}


def test_where_both_names_are_used_state_wins(begin: Begin) -> None:
    run = begin()

    answer = run.patch({"a": 1}, updates={"a": 2, "b": 2})

    assert answer.body["state"] == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({}, "state"),
        ({"reasoning": "why"}, "state"),
        ({"state": None, "updates": None, "remove": None}, "state"),
        ({"remove": "/a"}, "remove"),
        ({"remove": [1]}, "remove"),
        ({"remove": ["/a"] * 1_001}, "remove"),
        ({"state": {"a": 1}, "messages": {"a": 1}}, "messages"),
        ({"state": {"a": 1}, "reasoning": ["x"]}, "reasoning"),
        ({"state": {"a": 1}, "reasoning": "x\0"}, "reasoning"),
        ({"state": {"a": 1}, "external_id": ""}, "external_id"),
        ({"state": {"a": 1}, "step_number": -1}, "step_number"),
        ({"state": {"a": 1}, "step_number": 2**60}, "step_number"),
        ({"state": {"a": 1}, "model": "m" * 256}, "model"),
    ],
)
def test_it_names_the_field_that_it_refuses_and_stores_nothing(
    begin: Begin, body: Any, param: Any
) -> None:
    run = begin({"a": 0})

    answer = run.client.patch(run.path("state"), body)

    assert_refused(answer, 400, "invalid_request", param)
    assert versions_of(run) == 1


def test_an_update_that_changes_nothing_is_a_version_without_changes(
    begin: Begin,
) -> None:
    run = begin({"a": 1})

    run.patch({"a": 1}, reasoning="Checked again.")

    version = run.get("versions", 1)
    assert (version["change_count"], version["changes"]) == (0, [])
    assert version["reasoning"] == "Checked again."
    assert version["state"] == {"a": 1}


def test_an_update_with_an_empty_state_is_one_too(begin: Begin) -> None:
    run = begin({"a": 1})

    assert run.patch({}).body["state"] == {"a": 1}


def test_parts_that_are_not_named_are_carried_over(begin: Begin) -> None:
    run = begin({"a": 1}, messages=["hi"], tasks=[{"id": 1}], model_params={"t": 0})

    run.patch({"a": 2}, messages=["hi", "there"])
    run.patch(tasks=[])

    second = run.get("checkpoint", version=1)
    third = run.get("checkpoint")
    assert second["messages"] == third["messages"] == ["hi", "there"]
    assert second["tasks"] == [{"id": 1}]
    assert third["tasks"] == []
    assert third["model_params"] == {"t": 0}
    assert third["state"] == {"a": 2}
    assert third["artifacts"] is None


def test_it_keeps_the_step_it_was_told(begin: Begin) -> None:
    run = begin()
    step = {
        "reasoning": "The price fell.",
        "trace_id": "trace-9",
        "step_number": 4,
        "parent_id": "step-3",
        "objective_status": "WAITING_FOR_APPROVAL",
        "schema_version": "2",
        "release": "r1",
        "model": "m",
        "external_id": "step-4",
    }

    answer = run.patch({"price": 9}, **step)

    version = run.get("versions", 1)
    assert {name: version[name] for name in step} == step
    assert answer.body["trace_id"] == "trace-9"
    assert version["op"] == "update"
    assert version["actor"]["kind"] == "key"
    assert version["updated_by"] == version["actor"]["label"]


def test_text_of_people_is_kept_as_it_is(begin: Begin) -> None:
    run = begin()
    text = "<script>{{7*7}}</script>\r\n=cmd() ä 🚀 \u202e"

    run.patch({"a": 1}, reasoning=text)

    assert run.get("versions", 1)["reasoning"] == text


def test_a_name_of_a_version_is_unique_in_its_session(begin: Begin) -> None:
    run, other = begin(), begin()
    run.patch({"a": 1}, external_id="step-1")
    other.patch({"a": 1}, external_id="step-1")

    answer = run.client.patch(
        run.path("state"), {"state": {"a": 2}, "external_id": "step-1"}
    )

    assert_refused(answer, 409, "external_id_taken", "external_id")
    assert versions_of(run) == 2


def test_a_repeated_request_is_done_once_and_answered_as_it_was(begin: Begin) -> None:
    run = begin({"n": 0})
    body = {"state": {"n": 1}}

    first = run.client.patch(run.path("state"), body, Idempotency_Key="k")
    run.patch({"n": 2})
    again = run.client.patch(run.path("state"), body, Idempotency_Key="k")

    assert again.body == first.body
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.headers["ETag"] == '"v1"'
    assert run.state == {"n": 2}


def test_a_key_with_another_body_is_refused(begin: Begin) -> None:
    run = begin({"n": 0})
    run.client.patch(run.path("state"), {"state": {"n": 1}}, Idempotency_Key="k")

    answer = run.client.patch(
        run.path("state"), {"state": {"n": 2}}, Idempotency_Key="k"
    )

    assert_refused(answer, 422, "idempotency_key_reused", "Idempotency-Key")
    assert versions_of(run) == 2


@pytest.mark.parametrize(
    "content_type",
    [
        "",
        "text/plain",
        "text/json",
        "application/x-www-form-urlencoded",
        "application/json; charset=latin1",
    ],
)
def test_it_takes_json_only(begin: Begin, content_type: Any) -> None:
    run = begin()
    headers = run.client.key

    response = run.client.client.generic(
        "PATCH", run.path("state"), b'{"state":{}}', content_type, headers=headers
    )

    assert response.status_code == 415
    assert versions_of(run) == 1


def test_flags_tell_lost_keys_and_a_state_that_shrank(begin: Begin) -> None:
    run = begin({"a": "x" * 1000, "b": 1, "c": 2})

    run.put({"b": 1})

    assert set(run.get("versions", 1)["flags"]) == {"keys_lost", "shrank"}
