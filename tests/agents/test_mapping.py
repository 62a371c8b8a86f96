"""Mapping an agent's states: by whom, what is refused, what is recorded."""

from __future__ import annotations

from typing import Any

import pytest

from apps.agents.models import Agent
from apps.agents.waiting import DEFAULT, rule, rules
from apps.audit.comparing import Comparison
from apps.audit.models import AuditRecord, Event

pytestmark = pytest.mark.django_db

PATH = "/v1/agents/billing/mapping"
MAPPING = {
    "title": "/goal",
    "user": "/customer/id",
    "waiting": ["/asks = true", "/pending"],
    "noise": ["/clock", "/items/*/age"],
}


@pytest.fixture
def admin(api: Any, make_key: Any) -> Any:
    """An administrator's client, of a project with the agent `billing`."""
    client = api(make_key(scope="admin"))
    client.post("/v1/agents", {"name": "Billing", "external_id": "billing"})
    return client


def test_an_agent_begins_with_the_usual_rules(admin: Any) -> None:
    body = admin.get(PATH).body

    assert body["title"] is body["user"] is body["waiting"] is None
    assert (body["waiting_rules"], body["noise"]) == (list(DEFAULT), [])
    assert body["is_rederiving"] is False


def test_it_is_set_whole_and_taken_back(admin: Any) -> None:
    answer = admin.put(PATH, MAPPING)

    assert answer.status == 200, answer.content
    assert answer.body.items() >= MAPPING.items()
    assert answer.body["waiting_rules"] == MAPPING["waiting"]
    assert answer.body["is_rederiving"] is True
    assert admin.get(PATH).body == answer.body

    back = admin.put(PATH, {}).body

    assert back["title"] is back["user"] is back["waiting"] is None
    assert (back["noise"], back["waiting_rules"]) == ([], list(DEFAULT))


def test_no_rules_are_not_the_usual_ones(admin: Any) -> None:
    body = admin.put(PATH, {"waiting": []}).body

    assert body["waiting"] == body["waiting_rules"] == []


def test_only_other_rules_are_derived_anew(admin: Any) -> None:
    body = admin.put(PATH, {"title": "/goal", "noise": ["/clock"]}).body

    assert body["is_rederiving"] is False


@pytest.mark.parametrize(
    ("said", "param", "words"),
    [
        ({"title": ""}, "title", "whole state"),
        ({"title": "goal"}, "title", "pointer"),
        ({"title": "/a~2"}, "title", "~"),
        ({"title": "/a/*"}, "title", "many values"),
        ({"title": "/" + "x" * 300}, "title", "300 characters"),
        ({"user": "/a\x00"}, "user", "Null"),
        ({"user": 5}, "user", "text"),
        ({"user": "/id", "title": "id"}, "title", "pointer"),
        ({"waiting": ["escalated"]}, "waiting", "pointer"),
        ({"waiting": ["/a = [1]"]}, "waiting", "compares with"),
        ({"waiting": [""]}, "waiting", "names a value"),
        ({"waiting": ["/a"] * 21}, "waiting", "at most 20"),
        ({"waiting": "/a"}, "waiting", "list"),
        ({"noise": [""]}, "noise", "whole state"),
        ({"noise": ["clock"]}, "noise", "pointer"),
        ({"noise": ["/a"] * 51}, "noise", "at most 50"),
        ({"noise": None}, "noise", ""),
        ({"nose": []}, "nose", ""),
    ],
    ids=str,
)
def test_what_cannot_be_mapped_is_refused_where_it_stands(
    admin: Any, said: dict[str, Any], param: str, words: str
) -> None:
    admin.put(PATH, MAPPING)

    answer = admin.put(PATH, said)

    assert answer.status == 400, answer.content
    assert answer.param.split("[")[0].split(".")[0] == param
    assert words in answer.body["error"]["message"]
    assert admin.get(PATH).body["title"] == "/goal"


@pytest.mark.parametrize(
    ("said", "param", "named"),
    [
        ({"title": "/goal"}, "title", "an object: name one value in it, as /goal/text"),
        ({"user": "/who"}, "user", "a list: name one value in it, as /who/0"),
        ({"title": "/n", "user": "/none"}, "user", "an object"),
    ],
)
def test_a_place_of_several_values_is_refused_and_nothing_is_set(
    admin: Any, said: dict[str, Any], param: str, named: str
) -> None:
    state = {"goal": {"text": "Refund"}, "who": ["ann"], "none": {}, "n": 1}
    begun = {"agent_id": "billing", "initial_state": state}
    session = admin.post("/v1/sessions", begun).body["id"]

    answer = admin.put(PATH, {**said, "noise": ["/n"]})

    assert answer.status == 400
    assert answer.param == param
    assert (
        f"{param}: in {session} v0 this is {named}" in answer.body["error"]["message"]
    )
    assert admin.get(PATH).body["noise"] == []
    assert admin.put(PATH, {"title": "/goal/text", "user": "/who/0"}).status == 200


def test_it_is_an_administrators(admin: Any, api: Any, make_key: Any) -> None:
    writer, reader = api(make_key(scope="write")), api(make_key(scope="read"))
    limited = api(make_key(scope="admin", agents=["billing"]))

    for client in (writer, reader, limited):
        assert client.put(PATH, MAPPING).status == 403
        assert client.get(PATH).status == 403
    assert admin.get(PATH).body["title"] is None


def test_another_projects_agent_is_unknown(
    admin: Any, api: Any, make_key: Any, other_project: Any
) -> None:
    stranger = api(make_key(scope="admin", project=other_project))

    assert stranger.get(PATH).status == stranger.put(PATH, MAPPING).status == 404
    assert admin.get("/v1/agents/nobody/mapping").status == 404


def test_records_cover_it_and_tampering_is_named(admin: Any, project: Any) -> None:
    admin.put(PATH, MAPPING)
    agent = Agent.objects.get(external_id="billing")

    assert Event.objects.filter(action="agent.mapped", resource_id=agent.id).exists()
    record = AuditRecord.objects.for_project(project.id).get(action="agent.mapped")
    assert "/goal" not in str(record.details)
    assert differences(project) == []

    Agent.objects.filter(id=agent.id).update(title_path="/other")

    assert differences(project) == [f"the mapping of agent {agent.id}"]


def differences(project: Any) -> list[str]:
    comparison = Comparison(project_id=project.id, secret=bytes(project.index_key))
    return [one.resource for one in comparison.differences()]


@pytest.mark.parametrize(
    ("text", "state", "holds"),
    [
        ("/a = true", {"a": True}, True),
        ("/a = true", {"a": 1}, False),
        ("/a = true", {"a": "true"}, False),
        ("/a = pending", {"a": "pending"}, True),
        ('/a = "true"', {"a": "true"}, True),
        ("/a = 1", {"a": 1}, True),
        ("/a = 1", {"a": 1.0}, False),
        ("/a = null", {"a": None}, True),
        ("/a = null", {}, False),
        ("/a", {"a": {"do": 1}}, True),
        ("/a", {"a": "no"}, True),
        ("/a", {"a": 0}, False),
        ("/a", {"a": {}}, False),
        ("/a", {"a": None}, False),
        ("/a/0/b = 2", {"a": [{"b": 2}]}, True),
        ("/a/b", {"a": 5}, False),
    ],
    ids=str,
)
def test_a_rule_holds_by_value_and_type(text: str, state: Any, holds: bool) -> None:
    assert rule(text).holds(state) is holds


def test_the_usual_rules_are_read_once() -> None:
    assert rules(None) is rules(list(DEFAULT))
    assert rules([]) == ()
