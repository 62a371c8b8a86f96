"""An agent's audit over REST: queried, read and verified."""

import hashlib
from typing import Any

import pytest
from django.db import connection

from apps.agents.models import Agent
from apps.audit.streams import Operation
from apps.data.audit import trail, verifying
from tests.acting import erasing, tampering
from tests.conftest import Api
from tests.data.make import KEY, make_agent, write

AUDIT = "/v1/agents/billing/audit"
UNKNOWN = "aud_" + "0" * 26


@pytest.fixture
def agent(project: Any) -> Agent:
    return make_agent(project)


@pytest.fixture
def client(api: Any, agent: Agent) -> Api:
    return api()


def operations(answer: Any) -> list[str]:
    assert answer.status == 200, answer.content
    return [one["operation"] for one in answer.body["data"]]


def ids(answer: Any) -> list[str]:
    assert answer.status == 200, answer.content
    return [one["id"] for one in answer.body["data"]]


def test_it_lists_what_was_done_with_an_agent_newest_first(
    api: Any, make_key: Any, client: Api, agent: Agent
) -> None:
    write(agent, at=1)
    client.post("/v1/agents/billing/suspend")
    client.post("/v1/agents/billing/activate")
    client.patch("/v1/agents/billing", {"owner": "ann"})
    admin = api(make_key("admin"))
    mapping = {"title": "/goal", "user": None, "waiting": None, "noise": []}
    assert admin.put("/v1/agents/billing/mapping", mapping).status == 200

    answer = client.get(AUDIT)

    assert operations(answer) == [
        "agent.mapped",
        "agent.updated",
        "agent.activated",
        "agent.suspended",
        "data.write",
        "agent.created",
    ]
    assert answer.body["data"][0]["metadata"] == {"agent_id": "billing"}
    assert answer.body["events"] == answer.body["data"]
    assert (answer.body["total"], answer.body["has_more"]) == (6, False)
    assert answer.body["chain_start"] == answer.body["data"][-1]["hash"]
    assert answer.body["chain_end"] == answer.body["data"][0]["hash"]


def test_an_event_has_every_name_that_clients_read(client: Api, agent: Agent) -> None:
    blocked = {"result": "blocked", "rule": "policy:block_pii", "details": {"n": 1}}
    id = write(agent, "user:42", **blocked)

    (event, created) = client.get(AUDIT).body["data"]

    assert event["id"] == event["entry_id"] == id
    assert event["agent_id"] == agent.id
    assert event["operation"] == event["event_type"] == event["action"] == "data.write"
    assert (event["resource_type"], event["resource"]) == ("data", "user:42")
    assert (event["result"], event["blocked_by"]) == ("blocked", "policy:block_pii")
    assert event["timestamp"] == event["created_at"] == "2026-03-01T12:00:00.000000Z"
    assert event["metadata"] == event["data"] == {"n": 1}
    assert event["actor"] == {"kind": "key", "id": KEY.id, "label": KEY.label}
    assert event["previous_hash"] == created["hash"] == created["entry_hash"]
    assert created["previous_hash"] is None
    assert created["blocked_by"] is None


def test_a_hash_can_be_recomputed_from_the_answer(client: Api, agent: Agent) -> None:
    write(agent)

    for event in client.get(AUDIT).body["data"]:
        previous = bytes.fromhex(event["previous_hash"] or "00" * 32)
        number, leaf = event["number"].to_bytes(8, "big"), bytes.fromhex(event["leaf"])
        assert hashlib.sha256(previous + number + leaf).hexdigest() == event["hash"]


def test_an_agent_is_named_by_its_id_as_well(client: Api, agent: Agent) -> None:
    by_id = client.get(f"/v1/agents/{agent.id}/audit")

    assert by_id.body["data"] == client.get(AUDIT).body["data"]


def test_operations_are_filtered_and_unknown_ones_refused_by_name(
    client: Api, agent: Agent
) -> None:
    write(agent)
    write(agent, action=Operation.DATA_DELETE, result="success")

    both = client.get(AUDIT, {"operations": "data.write,data.delete"})
    one = client.get(AUDIT, {"operations": "data.delete"})
    refused = client.get(AUDIT, {"operations": "data.write,data.rite"})

    assert operations(both) == ["data.delete", "data.write"]
    assert (operations(one), one.body["total"]) == (["data.delete"], 1)
    assert (refused.status, refused.param) == (400, "operations")
    assert "data.rite" in refused.body["message"]
    assert client.get(AUDIT, {"operations": ""}).status == 400


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"start": "2026-03-01T12:02:00+00:00"}, [3, 2]),
        ({"start_time": "2026-03-01T12:02:00Z"}, [3, 2]),
        ({"end": "2026-03-01T12:02:00Z"}, [1]),
        ({"end_time": "2026-03-01T12:02:00Z"}, [1]),
        ({"start": "2026-03-01T12:01:00Z", "end": "2026-03-01T12:03:00Z"}, [2, 1]),
        ({"start": "2026-03-02"}, []),
    ],
)
def test_times_are_filtered_in_both_spellings(
    client: Api, agent: Agent, query: dict[str, str], found: list[int]
) -> None:
    made = {at: write(agent, at=at) for at in (1, 2, 3)}

    answer = client.get(AUDIT, {"operations": "data.write", **query})

    assert ids(answer) == [made[at] for at in found]
    assert answer.body["total"] == len(found)


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ({"start": "yesterday"}, "start"),
        ({"end_time": "12"}, "end_time"),
        ({"start": "2026-03-01", "start_time": "2026-03-01"}, "start_time"),
        ({"limit": "1001"}, "limit"),
        ({"limit": "0"}, "limit"),
        ({"offset": "-1"}, "offset"),
        ({"starting_after": UNKNOWN}, "starting_after"),
        ({"starting_after": "trace_1"}, "starting_after"),
        ({"operation": "data.write"}, "operation"),
    ],
)
def test_what_is_not_understood_is_refused_by_name(
    client: Api, query: dict[str, str], param: str
) -> None:
    answer = client.get(AUDIT, query)

    assert (answer.status, answer.param) == (400, param)
    assert answer.body["param"] == param


def test_pages_go_by_offset_and_by_cursor(client: Api, agent: Agent) -> None:
    made = [write(agent, at=at) for at in range(5)]

    first = client.get(AUDIT, {"limit": 2})
    by_cursor = client.get(AUDIT, {"limit": 2, "starting_after": first.body["last_id"]})
    by_offset = client.get(AUDIT, {"limit": 2, "offset": 2})

    assert ids(first) == made[:-3:-1]
    assert first.body["has_more"]
    assert ids(by_cursor) == ids(by_offset) == [made[2], made[1]]
    assert {one.body["total"] for one in (first, by_cursor, by_offset)} == {6}


def test_a_total_is_none_where_filters_find_more_than_is_counted(
    client: Api, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trail, "COUNTED", 2)
    asked = {"operations": "data.write"}
    totals = []
    for at in range(3):
        write(agent, at=at)
        totals.append(client.get(AUDIT, asked).body["total"])

    assert totals == [1, 2, None]
    assert client.get(AUDIT).body["total"] == 4


def test_one_event_is_read_at_the_top_and_under_its_name(
    client: Api, agent: Agent
) -> None:
    id = write(agent)

    answer = client.get(f"{AUDIT}/{id}")

    assert answer.status == 200
    listed = client.get(AUDIT).body["data"]
    assert answer.body == listed[0] | {"event": listed[0]}
    assert answer.body["id"] == id
    assert answer.body["previous_hash"] == listed[1]["hash"]


@pytest.mark.parametrize("id", [UNKNOWN, "aud_1", "trace_1", "verify_", "..."])
def test_an_event_that_is_not_there_is_unknown(client: Api, id: str) -> None:
    assert client.get(f"{AUDIT}/{id}").status == 404


def test_an_event_of_another_agent_is_unknown(
    client: Api, project: Any, agent: Agent
) -> None:
    id = write(make_agent(project, "travel"))

    missing, foreign = (client.get(f"{AUDIT}/{one}") for one in (UNKNOWN, id))

    assert (foreign.status, said(foreign)) == (404, said(missing))


def said(answer: Any) -> Any:
    body = answer.body
    body["error"].pop("request_id")
    return body


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_untouched_chain_is_valid(client: Api, agent: Agent, method: str) -> None:
    for at in range(3):
        write(agent, at=at)

    answer = client.send(method, f"{AUDIT}/verify", {} if method == "POST" else None)

    listed = client.get(AUDIT).body
    assert answer.status == 200, answer.content
    assert (answer.body["valid"], answer.body["chain_intact"]) == (True, True)
    assert answer.body["events_checked"] == 4
    assert answer.body["chain_start"] == listed["chain_start"]
    assert answer.body["chain_end"] == listed["chain_end"]
    assert answer.body["time_range"] == {
        "start": "2026-03-01T11:00:00.000000Z",
        "end": "2026-03-01T12:02:00.000000Z",
    }
    assert answer.body["first_invalid"] is None
    assert (answer.body["has_more"], answer.body["next_start"]) == (False, None)


def test_a_post_without_a_body_verifies_as_well(client: Api) -> None:
    assert client.post(f"{AUDIT}/verify").body["events_checked"] == 1


def test_a_long_chain_is_verified_in_pieces(
    client: Api, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifying, "MOST", 2)
    for at in range(4):
        write(agent, at=at)

    pieces = [client.get(f"{AUDIT}/verify").body]
    while pieces[-1]["has_more"]:
        start = {"start": pieces[-1]["next_start"]}
        pieces.append(client.post(f"{AUDIT}/verify", start).body)

    assert [one["events_checked"] for one in pieces] == [2, 2, 1]
    assert all(one["valid"] for one in pieces)
    assert pieces[-1]["chain_end"] == client.get(AUDIT).body["chain_end"]


def test_it_verifies_from_a_time_on(client: Api, agent: Agent) -> None:
    made = [write(agent, at=at) for at in range(3)]

    answer = client.get(f"{AUDIT}/verify", {"start": "2026-03-01T12:01:00+00:00"})
    none = client.get(f"{AUDIT}/verify", {"start_time": "2026-03-02"})
    body = {"start_time": "2026-03-01T12:01:00+00:00"}

    first = client.get(f"{AUDIT}/{made[1]}").body
    assert (answer.body["events_checked"], answer.body["valid"]) == (2, True)
    assert answer.body["chain_start"] == first["hash"]
    assert (none.body["events_checked"], none.body["valid"]) == (0, True)
    assert client.post(f"{AUDIT}/verify", body).body["events_checked"] == 2


@pytest.mark.parametrize("start", ["soon", UNKNOWN, "aud_1"])
def test_a_start_that_is_none_is_refused(client: Api, start: str) -> None:
    for answer in (
        client.get(f"{AUDIT}/verify", {"start": start}),
        client.post(f"{AUDIT}/verify", {"start": start}),
    ):
        assert (answer.status, answer.param) == (400, "start")


def test_a_changed_event_is_named(client: Api, agent: Agent) -> None:
    made = [write(agent, at=at) for at in range(4)]
    change("actor_label = 'mallory'", agent, 3)

    answer = client.get(f"{AUDIT}/verify")

    before = client.get(f"{AUDIT}/{made[0]}").body
    assert (answer.body["valid"], answer.body["chain_intact"]) == (False, False)
    assert answer.body["events_checked"] == 3
    assert answer.body["chain_end"] == before["hash"]
    assert answer.body["first_invalid"] == {
        "id": made[1],
        "number": 3,
        "timestamp": "2026-03-01T12:01:00.000000Z",
        "expected_previous_hash": before["hash"],
        "actual_previous_hash": before["hash"],
        "message": "Event number 3 does not say what its hash was made of.",
    }


def test_a_broken_link_is_named(client: Api, agent: Agent) -> None:
    made = [write(agent, at=at) for at in range(4)]
    change("chain = sha256(chain)", agent, 3)

    first = client.get(f"{AUDIT}/verify").body["first_invalid"]

    assert (first["id"], first["number"]) == (made[1], 3)
    assert first["actual_previous_hash"] is None
    assert "does not follow" in first["message"]


def test_a_missing_event_is_named_with_the_next_one(client: Api, agent: Agent) -> None:
    made = [write(agent, at=at) for at in range(4)]
    with erasing(), connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM audit_auditrecord WHERE stream_id = %s AND number = 3",
            [agent.id],
        )

    whole = client.get(f"{AUDIT}/verify").body["first_invalid"]
    after = client.get(f"{AUDIT}/verify", {"start": made[2]}).body

    assert (whole["id"], whole["number"]) == (made[2], 4)
    assert whole["message"] == "Event number 3 is missing; the next one is 4."
    assert not after["valid"]
    assert after["first_invalid"]["message"] == whole["message"]


def change(what: str, agent: Agent, number: int) -> None:
    with tampering("audit_auditrecord"), connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE audit_auditrecord SET {what} WHERE stream_id = %s AND number = %s",
            [agent.id, number],
        )


PATHS = [
    ("GET", AUDIT),
    ("GET", f"{AUDIT}/{UNKNOWN}"),
    ("GET", f"{AUDIT}/verify"),
    ("POST", f"{AUDIT}/verify"),
    ("POST", f"{AUDIT}/export"),
]


def body_for(method: str) -> Any:
    return {} if method == "POST" else None


@pytest.mark.parametrize(("method", "path"), PATHS)
def test_another_projects_agent_is_unknown_to_the_byte(
    api: Any,
    make_key: Any,
    client: Api,
    other_project: Any,
    method: str,
    path: str,
) -> None:
    stranger = api(make_key(project=other_project))
    elsewhere = path.replace("billing", "nobody-is-called-so")

    foreign = stranger.send(method, path, body_for(method))
    unknown = stranger.send(method, elsewhere, body_for(method))

    assert (foreign.status, foreign.code) == (404, "agent_not_found")
    assert said(foreign) == said(unknown)


@pytest.mark.parametrize(("method", "path"), PATHS)
def test_a_key_for_other_agents_sees_none_of_it(
    api: Any, make_key: Any, client: Api, method: str, path: str
) -> None:
    limited = api(make_key(agents=["travel"]))

    assert limited.send(method, path, body_for(method)).status == 404
    assert api(make_key(agents=["billing"])).get(AUDIT).status == 200


@pytest.mark.parametrize(("method", "path"), PATHS)
def test_nobody_gets_in_without_a_key(client: Api, method: str, path: str) -> None:
    assert Api(None).send(method, path, body_for(method)).status == 401


def test_a_read_only_key_queries_and_verifies_and_does_not_export(
    api: Any, make_key: Any, client: Api
) -> None:
    reader = api(make_key("read"))

    assert reader.get(AUDIT).status == 200
    assert reader.get(f"{AUDIT}/verify").status == 200
    assert reader.post(f"{AUDIT}/verify", {}).status == 200
    assert reader.post(f"{AUDIT}/export", {}).status == 403


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", AUDIT),
        ("DELETE", AUDIT),
        ("PUT", f"{AUDIT}/{UNKNOWN}"),
        ("PATCH", f"{AUDIT}/verify"),
        ("GET", f"{AUDIT}/export"),
    ],
)
def test_another_method_is_refused(client: Api, method: str, path: str) -> None:
    answer = client.send(method, path, {} if method != "GET" else None)

    assert (answer.status, answer.code) == (405, "method_not_allowed")
