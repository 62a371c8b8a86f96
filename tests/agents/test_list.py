"""The list of agents: its envelope, filters, pages and bounds."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.agents import querysets
from apps.agents.hooks import COUNTERS, Counts


@pytest.fixture
def writer(api):
    """A client that has made a, b and c, of which b is suspended."""
    client = api()
    for name, owner, tags in (
        ("a", "ann", ["money"]),
        ("b", "ann", ["money", "eu, us"]),
        ("c", "bob", []),
    ):
        said = {"owner": owner, "tags": tags, "description": f"Does {name.upper()} 5%"}
        client.post("/v1/agents", {"external_id": name, **said})
    client.post("/v1/agents/b/suspend")
    return client


def names(client, **query):
    return [
        agent["external_id"] for agent in client.get("/v1/agents", query).body["data"]
    ]


def test_it_lists_the_newest_first_under_both_names(writer):
    body = writer.get("/v1/agents").body

    assert [agent["external_id"] for agent in body["data"]] == ["c", "b", "a"]
    assert body["agents"] == body["data"]
    assert body["object"] == "list"
    assert (body["has_more"], body["total"]) == (False, 3)
    assert body["first_id"] == body["data"][0]["id"]
    assert body["last_id"] == body["data"][-1]["id"]


def test_a_project_without_agents_lists_none(api):
    body = api().get("/v1/agents").body

    assert body["data"] == body["agents"] == []
    assert (body["first_id"], body["last_id"], body["has_more"]) == (None, None, False)


def test_it_filters_by_status_and_owner(writer):
    assert names(writer, status="active") == ["c", "a"]
    assert names(writer, status="suspended") == ["b"]
    assert names(writer, owner="ann") == ["b", "a"]
    assert names(writer, owner="ann", status="active") == ["a"]
    assert names(writer, owner="nobody") == []


def test_it_filters_by_tags_and_description(writer):
    assert names(writer, tag="money") == ["b", "a"]
    assert names(writer, tag="eu, us") == ["b"]
    assert names(writer, tags="money") == ["b", "a"]
    assert names(writer, tags="money,mone") == []
    assert names(writer, tag="eu, us", tags="money") == ["b"]
    assert names(writer, description="does b") == ["b"]
    assert names(writer, description="5%") == ["c", "b", "a"]
    assert names(writer, description="_5%") == []


def test_the_total_is_of_all_pages_and_of_what_is_asked_for(writer, monkeypatch):
    first = writer.get("/v1/agents", {"limit": 1}).body
    asked = {"limit": 1, "starting_after": first["last_id"]}

    assert first["total"] == writer.get("/v1/agents", asked).body["total"] == 3
    assert writer.get("/v1/agents", {"limit": 1, "offset": 2}).body["total"] == 3
    assert writer.get("/v1/agents", {"owner": "ann"}).body["total"] == 2
    monkeypatch.setattr(querysets, "COUNTED", 2)
    assert writer.get("/v1/agents").body["total"] is None


def test_what_each_keeps_is_asked_once_for_all(writer, project, monkeypatch):
    asked = []

    def count(of, ids):
        asked.append((of.id, len(ids)))
        return {ids[0]: Counts(data=7, checkpoints=2, config_version=3)}

    monkeypatch.setitem(COUNTERS, "test", count)

    newest, *others = writer.get("/v1/agents").body["data"]
    shown = writer.get("/v1/agents/a").body

    kept = ("data_count", "checkpoint_count", "config_version", "version")
    assert [newest[name] for name in kept] == [7, 2, "v3", "v3"]
    assert [[one[name] for name in kept] for one in others] == [[0, 0, None, None]] * 2
    assert [shown["agent"][name] for name in kept] == [7, 2, "v3", "v3"]
    assert asked == [(project.id, 3), (project.id, 1)]


def test_it_pages_by_cursor(writer):
    first = writer.get("/v1/agents", {"limit": 2}).body
    after = writer.get("/v1/agents", {"limit": 2, "starting_after": first["last_id"]})

    assert first["has_more"]
    assert [agent["external_id"] for agent in first["data"]] == ["c", "b"]
    assert [agent["external_id"] for agent in after.body["data"]] == ["a"]
    assert not after.body["has_more"]


def test_it_takes_the_query_that_anchors_sdk_sends(writer):
    assert names(writer, limit=50, offset=0, status="active") == ["c", "a"]


def test_it_pages_by_small_offsets(writer):
    assert names(writer, limit=1, offset=1) == ["b"]
    assert writer.get("/v1/agents", {"limit": 1, "offset": 1}).body["has_more"]
    assert names(writer, offset=3) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("limit", "0"),
        ("limit", "1001"),
        ("limit", "many"),
        ("offset", "-1"),
        ("offset", "10001"),
        ("status", "gone"),
        ("tag", ""),
        ("tag", "x" * 101),
        ("tags", "a,,b"),
        ("status", ""),
        ("starting_after", "billing"),
        ("owner", "a\0b"),
    ],
)
def test_it_refuses_a_parameter_by_name(writer, name, value):
    answer = writer.get("/v1/agents", {name: value})

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert answer.param == name


def test_more_agents_take_no_more_queries(writer, django_assert_num_queries):
    writer.get("/v1/agents")
    with CaptureQueriesContext(connection) as captured:
        writer.get("/v1/agents")
    before = len(captured)
    for name in "defghi":
        writer.post("/v1/agents", {"external_id": name})

    with django_assert_num_queries(before):
        writer.get("/v1/agents")
