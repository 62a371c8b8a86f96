"""Agents over REST: each verb, who may use it, and what it answers."""

from datetime import datetime

import pytest

from apps.agents.models import Agent
from apps.audit.models import Event

PATHS = [
    ("POST", "/v1/agents"),
    ("GET", "/v1/agents"),
    ("GET", "/v1/agents/billing"),
    ("PATCH", "/v1/agents/billing"),
    ("PUT", "/v1/agents/billing"),
    ("POST", "/v1/agents/billing/suspend"),
    ("POST", "/v1/agents/billing/activate"),
]
WRITES = [(method, path) for method, path in PATHS if method != "GET"]
OF_ONE = [(method, path) for method, path in PATHS if "billing" in path]
BODY = {"name": "Billing", "external_id": "billing"}
CHANGE = {"name": "Billing"}


@pytest.fixture
def writer(api):
    """A client that has made the agent `billing`."""
    client = api()
    client.post("/v1/agents", BODY)
    return client


def body_for(path):
    """Suspend and activate are sent without one; no change gives another name."""
    if path.endswith(("suspend", "activate")):
        return None
    return BODY if path == "/v1/agents" else CHANGE


def call(client, method, path):
    return client.send(method, path, None if method == "GET" else body_for(path))


def events():
    return list(
        Event.objects.filter(action__startswith="agent.")
        .order_by("created_at", "id")
        .values_list("action", flat=True)
    )


def test_it_creates_an_agent_under_a_generated_id(api):
    answer = api().post("/v1/agents", {"name": "n", "metadata": {}})

    assert answer.status == 201
    assert answer.body["id"] == answer.body["agent_id"] == answer.body["external_id"]
    assert answer.body["name"] == "n"
    assert answer.body["status"] == "active"
    assert events() == ["agent.created"]


def test_it_answers_every_name_that_a_client_reads(api):
    told = {
        **BODY,
        "description": "Sends invoices",
        "owner": "ann",
        "team": "finance",
        "tags": ["money"],
        "metadata": {"k": 1},
    }

    body = api().post("/v1/agents", told).body

    agent = body.pop("agent")
    assert agent == body
    assert body.items() >= told.items()
    assert body["object"] == "agent"
    assert body["config"] == {"k": 1}
    assert body["config_version"] is body["version"] is None
    assert body["data_count"] == body["checkpoint_count"] == 0
    assert body["created_at"] == body["updated_at"]
    assert body["created_at"].endswith("Z")
    assert datetime.fromisoformat(body["created_at"]).utcoffset().total_seconds() == 0


def test_it_takes_config_for_metadata_and_nulls_for_nothing_said(api):
    told = {"name": "n", "config": {"a": 1}, "metadata": None, "tags": None}

    answer = api().post("/v1/agents", told)

    assert answer.status == 201
    assert answer.body["metadata"] == {"a": 1}
    assert answer.body["tags"] == []


def test_an_agent_without_a_name_is_called_by_its_external_id(api):
    assert api().post("/v1/agents", {"external_id": "x"}).body["name"] == "x"


def test_it_refuses_an_external_id_in_use_and_names_its_agent(writer):
    answer = writer.post("/v1/agents", BODY)

    assert (answer.status, answer.code) == (409, "agent_exists")
    assert answer.body["error"]["agent_id"] == Agent.objects.get().id


def test_it_refuses_another_agents_id_as_an_external_id(writer):
    taken = writer.get("/v1/agents/billing").body["id"]

    answer = writer.post("/v1/agents", {"external_id": taken})

    assert (answer.status, answer.code) == (409, "agent_exists")


@pytest.mark.parametrize(
    ("told", "param"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": 5}, "name"),
        ({"name": "x" * 256}, "name"),
        ({"name": "a\0b"}, "name"),
        ({"name": "n", "external_id": ""}, "external_id"),
        ({"name": "n", "external_id": "a\0b"}, "external_id"),
        ({"name": "n", "external_id": " "}, "external_id"),
        ({"name": "n", "description": "x" * 4001}, "description"),
        ({"name": "n", "tags": "money"}, "tags"),
        ({"name": "n", "tags": ["x"] * 51}, "tags"),
        ({"name": "n", "tags": ["a\0b"]}, "tags"),
        ({"name": "n", "metadata": []}, "metadata"),
        ({"name": "n", "metadata": {"a": 1}, "config": {"a": 2}}, "config"),
    ],
)
def test_it_names_what_is_wrong_with_a_new_agent(api, told, param):
    answer = api().post("/v1/agents", told)

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert answer.param.split("[")[0] == param
    assert not Agent.objects.exists()


@pytest.mark.parametrize("told", [b"[]", b'"x"', b"null", b"5"])
def test_it_refuses_a_request_that_is_no_object(writer, told):
    for method, path in (("POST", "/v1/agents"), ("PATCH", "/v1/agents/billing")):
        answer = writer.send(method, path, told)

        assert (answer.status, answer.code) == (422, "unacceptable_json")


def test_it_refuses_metadata_that_is_too_large_or_too_deep(writer):
    large = writer.patch("/v1/agents/billing", {"metadata": {"a": "x" * 65_536}})
    deep = b'{"metadata":{"a":' + b"[" * 128 + b"]" * 128 + b"}}"
    too_deep = writer.patch("/v1/agents/billing", deep)

    assert (large.status, large.code) == (413, "payload_too_large")
    assert (too_deep.status, too_deep.code) == (422, "unacceptable_json")
    assert too_deep.param.startswith("/metadata/a")
    assert writer.get("/v1/agents/billing").body["metadata"] == {}


@pytest.mark.parametrize(
    "body", [b'{"name":', b'{"name":"a","name":"b"}', b'{"name":NaN}', b'"\xff"']
)
def test_it_refuses_what_is_no_json(api, body):
    answer = api().post("/v1/agents", body)

    assert (answer.status, answer.code) == (400, "malformed_json")


def test_metadata_keeps_its_numbers_its_nul_and_the_order_of_its_keys(api):
    metadata = (
        b'{"z":'
        + b"9" * 400
        + b',"a":"\\u0000","m":{"y":-0.0,"b":12345678901234567890}}'
    )

    made = api().post(
        "/v1/agents", b'{"external_id":"exact","metadata":' + metadata + b"}"
    )
    read = api().get("/v1/agents/exact")

    assert made.status == 201
    assert b'"metadata":' + metadata in made.content
    assert b'"metadata":' + metadata in read.content
    assert b'"config":' + metadata in read.content


def test_it_reads_an_agent_by_either_id(writer):
    by_name = writer.get("/v1/agents/billing")
    by_id = writer.get(f"/v1/agents/{by_name.body['id']}")

    assert by_name.status == by_id.status == 200
    assert by_name.content == by_id.content
    assert by_name.body["agent"]["external_id"] == "billing"


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("a/b", "a%2Fb"),
        ("a/b", "a/b"),
        ("/team//bot/", "%2Fteam%2F%2Fbot%2F"),
        ("a b%2Fc?", "a%20b%252Fc%3F"),
        ("suspend", "suspend"),
        ("two\nlines", "two%0Alines"),
    ],
)
def test_an_agent_whose_name_has_a_slash_is_reached_by_it(api, name, spelled):
    client = api()
    made = client.post("/v1/agents", {"external_id": name}).body
    where = f"/v1/agents/{spelled}"

    answers = [
        client.get(where),
        client.patch(where, {"owner": "ann"}),
        client.post(f"{where}/suspend"),
        client.post(f"{where}/activate"),
    ]

    assert [answer.status for answer in answers] == [200] * 4
    assert {answer.body["id"] for answer in answers} == {made["id"]}
    assert [a.body["status"] for a in answers[2:]] == ["suspended", "active"]


@pytest.mark.parametrize("verb", ["suspend", "activate"])
def test_an_agent_whose_name_ends_in_a_verb_is_reached_by_our_id(writer, verb):
    made = writer.post("/v1/agents", {"external_id": f"billing/{verb}"}).body

    by_name = writer.get(f"/v1/agents/billing%2F{verb}")
    by_id = writer.get(f"/v1/agents/{made['id']}")
    suspended = writer.post(f"/v1/agents/billing%2F{verb}/suspend")

    assert (by_name.status, by_id.status) == (405, 200)
    assert suspended.body["id"] == made["id"]
    assert writer.get("/v1/agents/billing").body["status"] == "active"


def test_an_update_sets_what_is_said_and_merges_metadata(writer):
    writer.patch("/v1/agents/billing", {"metadata": {"a": 1, "b": 2}, "owner": "ann"})

    answer = writer.patch(
        "/v1/agents/billing",
        {"metadata": {"b": None, "c": 3}, "name": "B", "owner": ""},
    )

    assert answer.status == 200
    assert answer.body["metadata"] == {"a": 1, "b": None, "c": 3}
    assert (answer.body["name"], answer.body["owner"]) == ("B", "")
    assert answer.body["updated_at"] > answer.body["created_at"]
    assert answer.body["agent"]["name"] == "B"
    assert events() == ["agent.created", "agent.updated", "agent.updated"]


@pytest.mark.parametrize("name", ["id", "external_id", "status"])
def test_an_update_changes_neither_id_nor_status(writer, name):
    before = writer.get("/v1/agents/billing").body

    answer = writer.patch("/v1/agents/billing", {name: "suspended", "owner": "ann"})

    assert (answer.status, answer.code, answer.param) == (400, "unknown_field", name)
    assert answer.body["code"] == "unknown_field"  # where Anchor's clients look
    assert writer.get("/v1/agents/billing").body == before


@pytest.mark.parametrize(
    "told", [None, {}, {"name": None}, {"config": {}}, {"metadata": {}}]
)
def test_nothing_to_change_is_refused_and_leaves_no_event(writer, told):
    before = writer.get("/v1/agents/billing").body

    answer = writer.patch("/v1/agents/billing", told)

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert writer.get("/v1/agents/billing").body == before
    assert events() == ["agent.created"]


def test_suspending_and_activating_need_no_body(writer):
    suspended = writer.post("/v1/agents/billing/suspend")
    again = writer.post("/v1/agents/billing/suspend", {})
    activated = writer.post("/v1/agents/billing/activate")

    assert [a.status for a in (suspended, again, activated)] == [200, 200, 200]
    assert suspended.body["status"] == suspended.body["agent"]["status"] == "suspended"
    assert again.body == suspended.body
    assert activated.body["status"] == "active"
    assert events() == ["agent.created", "agent.suspended", "agent.activated"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", "/v1/agents"),
        ("DELETE", "/v1/agents"),
        ("POST", "/v1/agents/billing"),
        ("GET", "/v1/agents/billing/suspend"),
        ("PATCH", "/v1/agents/billing/activate"),
    ],
)
def test_another_method_is_not_allowed(writer, method, path):
    answer = writer.send(method, path)

    assert (answer.status, answer.code) == (405, "method_not_allowed")


@pytest.mark.parametrize(("method", "path"), PATHS)
def test_without_a_key_nothing_is_answered(api, method, path):
    answer = call(api(None), method, path)

    assert (answer.status, answer.code) == (401, "authentication_failed")
    assert answer.headers["WWW-Authenticate"]


@pytest.mark.parametrize(("method", "path"), WRITES)
def test_a_read_key_cannot_write(writer, api, make_key, method, path):
    answer = call(api(make_key(scope="read")), method, path)

    assert (answer.status, answer.code) == (403, "permission_denied")


def test_a_read_key_reads(writer, api, make_key):
    reader = api(make_key(scope="read"))

    assert reader.get("/v1/agents/billing").status == 200
    assert len(reader.get("/v1/agents").body["data"]) == 1


@pytest.mark.parametrize(("method", "path"), OF_ONE)
def test_a_strangers_key_finds_nothing(
    writer, api, make_key, other_project, method, path
):
    stranger = api(make_key(project=other_project))

    answer = call(stranger, method, path)

    assert (answer.status, answer.code) == (404, "agent_not_found")
    assert stranger.get("/v1/agents").body["data"] == []


@pytest.mark.parametrize(("method", "path"), OF_ONE)
@pytest.mark.parametrize("reference", ["nobody", "a%20b", "x" * 300])
def test_an_unknown_agent_is_not_found(writer, method, path, reference):
    answer = call(writer, method, path.replace("billing", reference))

    assert (answer.status, answer.code) == (404, "agent_not_found")


def test_two_projects_may_use_one_name(writer, api, make_key, other_project):
    answer = api(make_key(project=other_project)).post("/v1/agents", BODY)

    assert answer.status == 201
    assert Agent.objects.filter(external_id="billing").count() == 2


def test_errors_say_at_the_top_what_anchors_clients_read_there(api):
    body = api().get("/v1/agents/nobody").body

    assert body["message"] == body["detail"] == body["error"]["message"]
    assert body["code"] == "agent_not_found"
    assert "blocked_by" not in body
