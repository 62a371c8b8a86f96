"""Traces: every verb under StateBase's name, with what it changed and why."""

from typing import Any

import pytest

from apps.accounts.models import Project
from tests.timeline.runs import Begin, Clients, Keys, Run, assert_refused

pytestmark = pytest.mark.django_db


def actions(run: Run, **query: Any) -> Any:
    return [trace["action"] for trace in traces(run, **query)]


def traces(run: Run, **query: Any) -> Any:
    answer = run.client.get(f"/v1/traces/sessions/{run.id}/traces", query or None)
    assert answer.status == 200, answer.content
    return answer.body["data"]


def test_every_verb_leaves_one_trace_under_its_name(begin: Begin) -> None:
    run = begin({"a": 0})
    run.client.post(run.path("versions", 0, "labels"), {"label": "good"})
    run.patch({"a": 1})
    run.put({"a": 2})
    run.turn()
    run.rollback(0)
    run.client.patch(run.path(), {"metadata": {"a": 1}})
    run.hold("pause")
    run.hold("resume")
    run.client.delete(run.path("versions", 0, "labels", "good"))
    run.hold("close")

    assert actions(run) == [
        "session.closed",
        "version.unlabelled",
        "session.resumed",
        "session.paused",
        "session.updated",
        "state.rolled_back",
        "turn.added",
        "state.updated",
        "state.updated",
        "version.labelled",
        "session.created",
    ]


def test_a_turn_that_made_a_version_leaves_a_trace_of_each(begin: Begin) -> None:
    run = begin()
    run.turn(state_after={"a": 1}, reasoning="Asked.")

    made = traces(run)[:2]

    assert {trace["action"] for trace in made} == {"turn.added", "state.updated"}
    assert {trace["details"]["reasoning"] for trace in made} == {"Asked."}
    assert {trace["version"] for trace in made} == {1}


def test_what_one_write_leaves_has_one_order(api: Clients, begin: Begin) -> None:
    client = api()
    for name in "abcdefgh":
        begin(client=client, agent_id=name).turn(state_after={"a": 1})

    answer = client.get("/v1/traces", {"limit": 32})

    left = ["turn.added", "state.updated", "session.created", "agent.created"]
    assert [trace["action"] for trace in answer.body["data"]] == left * 8


def test_a_trace_has_every_key_that_clients_read(run: Run) -> None:
    trace = traces(run)[0]

    assert trace["object"] == "trace"
    assert trace["session_id"] == run.id
    assert trace["action"] == "state.updated"
    assert trace["event"] == "version.created"
    assert (trace["resource_type"], trace["version"]) == ("version", 2)
    assert trace["actor"].startswith("api_key_sb_")
    assert trace["actor_kind"] == "key"
    assert trace["context"]["api_key_id"] == trace["actor_id"]
    assert trace["context"]["request_id"] == trace["metadata"]["request_id"]
    assert trace["timestamp"] == trace["created_at"]
    assert trace["timestamp"].endswith("Z")
    assert trace["ip_address"] is None


def test_a_trace_names_the_request_that_left_it(run: Run) -> None:
    answer = run.patch({"step": 3})

    assert traces(run)[0]["context"]["request_id"] == answer.headers["X-Request-Id"]


def test_creation_tells_the_agent_and_the_user(begin: Begin) -> None:
    run = begin({"a": 1}, user_id="u-1", reasoning="Asked.", trace_id="t-1")

    (trace,) = traces(run)
    details = trace["details"]
    assert (details["agent_id"], details["user_id"]) == ("travel", "u-1")
    assert (details["reasoning"], details["trace_id"]) == ("Asked.", "t-1")


def test_an_update_tells_what_it_added_removed_and_modified(begin: Begin) -> None:
    run = begin({"kept": 1, "gone": {"a": 1}, "value": 1, "deep": {"x/y": 1}})

    run.put(
        {"kept": 1, "value": None, "deep": {"x/y": 2}, "new": [1]}, reasoning="Better."
    )

    details = traces(run)[0]["details"]
    assert details["state_diff"] == {
        "added": {"new": [1]},
        "removed": {"gone": {"a": 1}},
        "modified": {
            "value": {"from": 1, "to": None},
            "/deep/x~1y": {"from": 1, "to": 2},
        },
    }
    assert (details["version"], details["reasoning"]) == (1, "Better.")
    assert details["actor"].startswith("sb_")


def test_a_rollback_tells_from_where_to_where_and_why(run: Run) -> None:
    run.rollback(0, reason="Wrong city.", reason_code="bad_tool_result")

    trace = traces(run)[0]
    details = trace["details"]
    assert trace["event"] == "session.rolled_back"
    assert (details["from_version"], details["to_version"]) == (2, 0)
    assert details["reason"] == details["reasoning"] == "Wrong city."
    assert details["reason_code"] == "bad_tool_result"
    assert details["version"] == 3
    assert details["state_diff"]["modified"] == {
        "step": {"from": 2, "to": 0},
        "city": {"from": "NYC", "to": "Rome"},
    }


def test_a_fork_tells_its_source(run: Run) -> None:
    fork = run.fork(version=1)

    (trace,) = traces(fork)
    assert trace["action"] == "session.forked"
    assert trace["details"]["source_session_id"] == run.id
    assert trace["details"]["fork_version"] == 1
    assert "session.forked" not in actions(run)


def test_a_turn_tells_its_number_types_and_reason(run: Run) -> None:
    said = {"type": "tool_call", "content": "x"}

    turn = run.turn(said, "y", reasoning="Needed prices.")

    trace = traces(run)[0]
    assert trace["action"] == "turn.added"
    assert (trace["resource_type"], trace["resource_id"]) == ("turn", turn["id"])
    assert trace["details"]["turn_number"] == 1
    assert trace["details"]["input_type"] == "tool_call"
    assert trace["details"]["output_type"] == "text"
    assert trace["details"]["reasoning"] == "Needed prices."


def test_a_refused_request_leaves_no_trace(run: Run) -> None:
    run.hold("pause")
    before = actions(run)

    run.client.patch(run.path("state"), {"state": {"a": 1}})
    run.client.post(run.path("rollback"), {"version": 99})
    run.client.patch(run.path(), {"metadata": 5})

    assert actions(run) == before


def test_a_repeated_request_leaves_one_trace(run: Run) -> None:
    for _ in range(2):
        run.client.patch(run.path("state"), {"state": {"a": 1}}, Idempotency_Key="k")

    assert actions(run).count("state.updated") == 3


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"action": "state.updated"}, ["state.updated"] * 2),
        ({"action": "version.created"}, ["state.updated"] * 2),
        ({"action": "session.rolled_back"}, ["state.rolled_back"]),
        ({"action": "state.rolled_back"}, ["state.rolled_back"]),
        ({"resource_type": "turn"}, ["turn.added"]),
        ({"resource_id": "unknown"}, []),
        ({"created_after": "2100-01-01"}, []),
        ({"start_time": "2100-01-01T00:00:00Z"}, []),
        ({"created_before": "2020-01-01"}, []),
        ({"end_time": "2020-01-01T00:00:00+02:00"}, []),
        ({"created_after": "2020-01-01", "start_time": "2100-01-01"}, []),
        ({"created_before": "2100-01-01", "end_time": "2020-01-01"}, []),
    ],
)
def test_they_can_be_filtered(run: Run, query: Any, expected: Any) -> None:
    run.turn()
    run.rollback(0)

    assert actions(run, **query) == expected


@pytest.mark.parametrize(
    ("action", "nearest"),
    [
        ("session.promote", "session.promoted"),
        ("state.rolledback", "state.rolled_back"),
        ("nothing", None),
    ],
)
def test_an_action_that_nothing_records_is_no_filter(
    run: Run, action: str, nearest: str | None
) -> None:
    answer = run.client.get("/v1/traces", {"action": action})

    assert_refused(answer, 400, "invalid_request", "action")
    assert answer.body["error"]["nearest"] == nearest


def test_those_of_an_agent_can_be_told_apart(begin: Begin) -> None:
    one, two = begin(agent_id="travel"), begin(agent_id="billing")

    found = one.client.get("/v1/traces", {"agent_id": "billing"}).body["data"]

    assert {trace["session_id"] for trace in found} == {two.id}


def test_the_project_has_the_traces_of_all_its_sessions(begin: Begin) -> None:
    one, two = begin({"a": 1}, user_id="u-1"), begin({"a": 1}, user_id="u-2")
    two.patch({"a": 2})
    client = one.client

    def listed(**query: Any) -> Any:
        data = client.get("/v1/traces", query).body["data"]
        return [(trace["session_id"], trace["action"]) for trace in data]

    assert listed(session_id=one.id) == [(one.id, "session.created")]
    assert listed(user_id="u-1") == [(one.id, "session.created")]
    assert listed(user_id="u-2", action="state.updated") == [(two.id, "state.updated")]
    assert {one.id, two.id} <= {session for session, _ in listed()}
    assert (None, "agent.created") in listed()


def test_pages_neither_skip_nor_repeat(run: Run) -> None:
    run.turn()
    everything = [trace["id"] for trace in traces(run)]
    seen, query = [], {"limit": 3}

    while True:
        body = run.client.get(f"/v1/traces/sessions/{run.id}/traces", query).body
        seen += [trace["id"] for trace in body["data"]]
        if not body["has_more"]:
            break
        query["starting_after"] = body["last_id"]

    assert seen == everything
    assert len(seen) == 4


def test_one_trace_can_be_read(run: Run) -> None:
    for trace in traces(run):
        assert run.client.get(f"/v1/traces/{trace['id']}").body == trace


def test_an_unknown_trace_is_not_found(run: Run) -> None:
    assert_refused(run.client.get("/v1/traces/unknown"), 404, "trace_not_found")


def test_traces_of_another_project_are_not_found(
    api: Clients, run: Run, make_key: Keys, other_project: Project
) -> None:
    stranger = api(make_key(project=other_project))
    trace_id = traces(run)[0]["id"]

    assert_refused(stranger.get(f"/v1/traces/{trace_id}"), 404, "trace_not_found")
    assert stranger.get("/v1/traces", {"session_id": run.id}).body["data"] == []
    answer = stranger.get(f"/v1/traces/sessions/{run.id}/traces")
    assert_refused(answer, 404, "session_not_found")


def test_a_limited_key_sees_traces_of_its_agents_only(
    api: Clients, run: Run, make_key: Keys, begin: Begin
) -> None:
    other = begin(agent_id="billing")
    limited = api(make_key(agents=["billing"]))

    data = limited.get("/v1/traces").body["data"]

    assert {trace["session_id"] for trace in data} == {other.id}
    trace_id = traces(run)[0]["id"]
    assert_refused(limited.get(f"/v1/traces/{trace_id}"), 404, "trace_not_found")


@pytest.mark.parametrize(
    ("name", "value"),
    [("limit", "0"), ("limit", "101"), ("created_after", "x"), ("end_time", "x")],
)
def test_a_list_names_the_parameter_that_it_refuses(
    run: Run, name: Any, value: Any
) -> None:
    read = {"created_before": "2100-01-01", "start_time": "2020-01-01"}

    for others in ({}, read):
        answer = run.client.get("/v1/traces", {**others, name: value})

        assert_refused(answer, 400, "invalid_request", name)


def test_odd_values_are_shown_and_not_an_error(begin: Begin) -> None:
    run = begin({"a": "x\0" * 500, "n": 10**400})

    run.put({"a": "é" * 500, "n": 1e308, "\0": 1})

    diff = traces(run)[0]["details"]["state_diff"]
    assert "␀" in diff["modified"]["a"]["from"]
    assert len(diff["modified"]["a"]["to"]) <= 201
    assert diff["added"] == {"␀": 1}
