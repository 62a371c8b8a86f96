"""Creating sessions: version 0, the agent it registers, names that are taken."""

from typing import Any

import pytest

from apps.accounts.models import Project
from apps.agents.models import Agent
from apps.timeline.models import Session
from tests.timeline.runs import Begin, Clients, Keys, assert_refused

pytestmark = pytest.mark.django_db
PARTS = {
    "messages": [{"role": "user", "content": "Book it"}],
    "tool_results": {"call_1": {"price": 412}},
    "model_params": {"model": "m-4", "temperature": 0.2},
    "tasks": [{"id": "t1", "status": "open"}],
    "artifacts": [{"uri": "s3://bucket/ticket.pdf"}],
}


def test_it_starts_with_version_0_and_the_state_that_was_given(api: Clients) -> None:
    answer = api().post(
        "/v1/sessions",
        {"agent_id": "travel", "initial_state": {"city": "Rome"}, "user_id": "u-7"},
    )

    assert answer.status == 201
    assert answer.headers["ETag"] == '"v0"'
    assert answer.body["object"] == "session"
    assert answer.body["id"] == answer.body["session_id"]
    assert answer.body["id"].startswith("sess_")
    assert answer.body["agent_id"] == "travel"
    assert answer.body["user_id"] == "u-7"
    assert answer.body["status"] == "active"
    assert answer.body["version"] == 0
    assert answer.body["state"] == {"city": "Rome"}
    assert answer.body["created_at"].endswith("Z")
    assert answer.body["trace_id"]


def test_what_it_answers_is_what_a_read_answers(begin: Begin) -> None:
    run = begin({"a": [1, {"b": None}]}, metadata={"tier": "gold"}, user_id="u")

    read = run.get()

    made = run.made.body
    shared = made.keys() & read.keys()
    assert {key: made[key] for key in shared} == {key: read[key] for key in shared}
    assert made.keys() - read.keys() == {"session_id", "trace_id"}


@pytest.mark.parametrize("fields", [{}, {"initial_state": None}, {"initial_state": {}}])
def test_no_state_and_null_are_the_empty_state(api: Clients, fields: Any) -> None:
    answer = api().post("/v1/sessions", {"agent_id": "travel", **fields})

    assert answer.status == 201
    assert answer.body["state"] == {}


def test_every_optional_field_may_be_null_as_published_clients_send_it(
    api: Clients,
) -> None:
    nothing = dict.fromkeys(
        ["user_id", "initial_state", "metadata", "ttl_seconds", "external_id", *PARTS]
    )

    answer = api().post("/v1/sessions", {"agent_id": "travel", **nothing})

    assert answer.status == 201
    assert answer.body["metadata"] == {}
    assert answer.body["ttl_expires_at"] is None


def test_it_registers_an_unknown_agent_once(api: Clients) -> None:
    for _ in range(2):
        api().post("/v1/sessions", {"agent_id": "travel"})

    assert Agent.objects.filter(external_id="travel").count() == 1
    assert Session.objects.count() == 2


def test_it_keeps_metadata_whole(begin: Begin) -> None:
    metadata = {"order": {"id": 17, "lines": [1, None]}, "text": "ä\u0000"}

    run = begin(metadata=metadata)

    assert run.made.body["metadata"] == run.get()["metadata"] == metadata


def test_it_keeps_every_part_of_a_checkpoint(begin: Begin) -> None:
    run = begin({"a": 1}, **PARTS)

    checkpoint = run.get("checkpoint")

    assert {name: checkpoint[name] for name in PARTS} == PARTS
    assert checkpoint["state"] == {"a": 1}


def test_it_keeps_the_step_it_was_told(begin: Begin) -> None:
    run = begin(
        reasoning="The customer asked.",
        trace_id="trace-1",
        step_number=3,
        parent_id="step-2",
        objective_status="In Progress",
        schema_version="4",
        release="2026.11",
        model="m-4",
    )

    first = run.get("versions", 0)

    assert run.made.body["trace_id"] == first["trace_id"] == "trace-1"
    assert first["op"] == "create"
    assert first["reasoning"] == "The customer asked."
    assert (first["step_number"], first["parent_id"]) == (3, "step-2")
    assert first["objective_status"] == "In Progress"
    assert (first["schema_version"], first["release"]) == ("4", "2026.11")
    assert first["model"] == "m-4"


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({}, "agent_id"),
        ({"agent_id": None}, "agent_id"),
        ({"agent_id": ""}, "agent_id"),
        ({"agent_id": 7}, "agent_id"),
        ({"agent_id": "a", "metadata": []}, "metadata"),
        ({"agent_id": "a", "user_id": 5}, "user_id"),
        ({"agent_id": "a", "user_id": "u" * 256}, "user_id"),
        ({"agent_id": "a", "user_id": "u\0"}, "user_id"),
        ({"agent_id": "a", "external_id": ""}, "external_id"),
        ({"agent_id": "a", "external_id": "e" * 256}, "external_id"),
        ({"agent_id": "a", "ttl_seconds": 0}, "ttl_seconds"),
        ({"agent_id": "a", "ttl_seconds": -1}, "ttl_seconds"),
        ({"agent_id": "a", "ttl_seconds": "60"}, "ttl_seconds"),
        ({"agent_id": "a", "ttl_seconds": 1.5}, "ttl_seconds"),
        ({"agent_id": "a", "ttl_seconds": 10**15}, "ttl_seconds"),
        ({"agent_id": "a", "messages": {}}, "messages"),
        ({"agent_id": "a", "tool_results": []}, "tool_results"),
        ({"agent_id": "a", "reasoning": "r" * 32_769}, "reasoning"),
        ({"agent_id": "a", "trace_id": "t\0"}, "trace_id"),
        ({"agent_id": "a", "step_number": True}, "step_number"),
    ],
)
def test_it_names_the_field_that_it_refuses_and_stores_nothing(
    api: Clients, fields: Any, param: Any
) -> None:
    answer = api().post("/v1/sessions", fields)

    assert_refused(answer, 400, "invalid_request", param)
    assert not Session.objects.exists()


def test_metadata_of_more_than_64_kib_is_too_large(api: Clients) -> None:
    body = {"agent_id": "travel", "metadata": {"text": "x" * 65_536}}

    assert_refused(api().post("/v1/sessions", body), 413, "payload_too_large")
    assert not Session.objects.exists()


def test_a_taken_name_is_a_conflict_that_says_whose_it_is(
    api: Clients, begin: Begin
) -> None:
    first = begin({"a": 1}, external_id="order-17")

    answer = api().post("/v1/sessions", {"agent_id": "x", "external_id": "order-17"})

    assert_refused(answer, 409, "external_id_taken", "external_id")
    assert answer.body["error"]["session_id"] == first.id
    assert Session.objects.count() == 1


def test_a_session_is_found_by_its_name(api: Clients, begin: Begin) -> None:
    run = begin(external_id="order-17")
    begin(external_id="order-18")

    found = api().get("/v1/sessions", {"external_id": "order-17"}).body["data"]

    assert [session["id"] for session in found] == [run.id]
    assert found[0]["external_id"] == "order-17"


def test_two_projects_may_use_one_name(
    api: Clients, begin: Begin, make_key: Keys, other_project: Project
) -> None:
    begin(external_id="order-17")

    theirs = begin(client=api(make_key(project=other_project)), external_id="order-17")

    assert theirs.made.status == 201


def test_the_same_request_with_one_key_creates_one_session(api: Clients) -> None:
    body = {"agent_id": "travel", "initial_state": {"a": 1}, "external_id": "order-1"}
    client = api()

    first = client.post("/v1/sessions", body, Idempotency_Key="k")
    again = client.post("/v1/sessions", body, Idempotency_Key="k")

    assert (first.status, again.status) == (201, 201)
    assert again.body == first.body
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    assert Session.objects.count() == 1


def test_a_replay_answers_with_what_was_stored_then(api: Clients) -> None:
    client = api()
    body = {"agent_id": "travel", "initial_state": {"a": 1}, "ttl_seconds": 3600}
    first = client.post("/v1/sessions", body, Idempotency_Key="k")
    path = f"/v1/sessions/{first.body['id']}"
    client.patch(f"{path}/state", {"state": {"a": 2}})
    client.patch(path, {"metadata": {"late": True}, "ttl_seconds": 7200})

    again = client.post("/v1/sessions", body, Idempotency_Key="k")

    assert again.body == first.body


def test_a_key_cannot_be_used_for_another_request(api: Clients) -> None:
    client = api()
    client.post("/v1/sessions", {"agent_id": "travel"}, Idempotency_Key="k")

    answer = client.post("/v1/sessions", {"agent_id": "other"}, Idempotency_Key="k")

    assert_refused(answer, 422, "idempotency_key_reused", "Idempotency-Key")
    assert Session.objects.count() == 1


@pytest.mark.parametrize("key", ["", " ", "k" * 256, "a\tb", "schlüssel", "🔑"])
def test_an_unusable_key_is_refused(api: Clients, key: Any) -> None:
    answer = api().post("/v1/sessions", {"agent_id": "a"}, Idempotency_Key=key)

    assert_refused(answer, 400, "invalid_request", "Idempotency-Key")
    assert not Session.objects.exists()
