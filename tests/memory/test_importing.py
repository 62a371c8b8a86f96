"""Imports of another product's memories: each once, the rest named."""

from typing import Any

import pytest

from apps.accounts.models import Project
from tests.memory.conftest import Mind, done

pytestmark = pytest.mark.django_db


def test_an_import_takes_each_once_and_names_the_rest(mind: Mind) -> None:
    session = mind.session(user="ada")
    mind.add("Likes tea", user_id="ada")
    items = [
        {"id": "m-1", "memory": "Is vegetarian", "user_id": "ada", "hash": "h1"},
        {"id": "m-2", "memory": "Answers in French", "agent_id": "travel"},
        {"id": "m-3", "memory": "Wants to go to Rome", "run_id": session},
        {"id": "m-1", "memory": "Is vegan", "user_id": "ada"},
        {"id": "m-4", "memory": "likes  tea", "user_id": "ada"},
        {"id": "m-5", "memory": "Knows nobody", "agent_id": "nobody"},
        {"id": "m-6", "memory": "Ran away", "run_id": "run-7"},
        {"id": "m-7", "memory": "Has two cats", "user_id": "ada", "run_id": "run-7"},
        {"id": "m-8", "memory": "x" * 10_001},
        {"id": "m-9", "memory": "Old", "created_at": "2024-05-01T10:00:00-07:00"},
    ]

    first = done(mind.client.post("/v1/memories/import", {"memories": items}))
    again = done(mind.client.post("/v1/memories/import", {"results": items}))

    results = [(one["result"], one["param"]) for one in first["results"]]
    assert results == [
        ("imported", None),
        ("imported", None),
        ("imported", None),
        ("refused", "id"),
        ("same", None),
        ("refused", "agent_id"),
        ("refused", "session_id"),
        ("imported", None),
        ("refused", "content"),
        ("imported", None),
    ]
    assert first["results"][5]["code"] == "agent_not_found"
    assert (first["imported"], first["same"], first["refused"]) == (5, 1, 4)
    assert (again["imported"], again["known"], again["same"]) == (0, 6, 1)
    assert set(mind.listed(user_id="ada", scope="user")) == {
        *("Is vegetarian", "Likes tea", "Has two cats")
    }
    assert mind.listed(agent_id="travel", scope="agent") == ["Answers in French"]
    assert mind.listed(session_id=session, scope="session") == ["Wants to go to Rome"]
    (kept,) = done(
        mind.client.get("/v1/memories", {"query": "vegetarian", "user_id": "ada"})
    )["data"]
    assert (kept["external_id"], kept["metadata"]) == ("m-1", {"hash": "h1"})
    (old,) = done(mind.client.get("/v1/memories"))["data"]
    assert old["created_at"] == "2024-05-01T17:00:00.000000Z"


@pytest.mark.parametrize(
    ("item", "named", "param"),
    [
        ("nothing", "", None),
        (None, "", None),
        ({"memory": "Has no id"}, "", "id"),
        ({"id": 5, "memory": "x"}, "", "id"),
        ({"id": "m", "memory": 5}, "m", "memory"),
        ({"id": "m", "memory": "nul\0"}, "m", "memory"),
        ({"id": "m", "memory": "x", "metadata": []}, "m", "metadata"),
        ({"id": "m", "memory": "x", "created_at": "now"}, "m", "created_at"),
        ({"id": "m", "memory": "x", "categories": [5]}, "m", "categories"),
    ],
)
def test_what_is_no_memory_is_named_and_holds_up_no_other(
    mind: Mind, item: Any, named: str, param: str | None
) -> None:
    items = [
        {"id": "m-1", "memory": "Likes tea"},
        item,
        {"id": "m-2", "memory": "Paid"},
    ]

    told = done(mind.client.post("/v1/memories/import", {"memories": items}))

    assert (told["imported"], told["refused"]) == (2, 1)
    assert mind.listed() == ["Paid", "Likes tea"]
    refused = told["results"][1]
    assert (refused["index"], refused["id"], refused["param"]) == (1, named, param)
    assert (refused["result"], refused["code"]) == ("refused", "invalid_request")
    assert refused["message"]


@pytest.mark.parametrize("memories", ["none", {"id": "m"}, 5])
def test_what_is_no_list_is_not_imported(mind: Mind, memories: Any) -> None:
    refused = mind.client.post("/v1/memories/import", {"memories": memories})

    assert (refused.status, refused.param) == (400, "memories")


def test_a_run_is_the_session_that_the_caller_calls_so(
    mind: Mind, api: Any, make_key: Any, other_project: Project
) -> None:
    body = {"agent_id": "travel", "external_id": "run-7"}
    session = done(mind.client.post("/v1/sessions", body))["id"]
    body = {"agent_id": "travel", "external_id": session}
    named_as_it = done(mind.client.post("/v1/sessions", body))["id"]
    elsewhere = Mind(api(make_key(project=other_project)))
    done(elsewhere.client.post("/v1/sessions", {"agent_id": "a", "external_id": "far"}))
    items = [
        {"id": "m-1", "memory": "Ran away", "run_id": "run-7"},
        {"id": "m-2", "memory": "Is ours", "run_id": session},
        {"id": "m-3", "memory": "Is far", "run_id": "far"},
        {"id": "m-4", "memory": "Pays", "run_id": "run-7", "user_id": "ada"},
    ]

    told = done(mind.client.post("/v1/memories/import", {"memories": items}))

    assert [one["code"] for one in told["results"]] == [
        *(None, None, "session_not_found", None)
    ]
    assert mind.listed(session_id=session, scope="session") == ["Is ours", "Ran away"]
    assert mind.listed(session_id=named_as_it, scope="session") == []
    found = done(mind.client.get("/v1/memories", {"user_id": "ada", "scope": "user"}))
    assert found["data"][0]["source"]["session_id"] == session


def test_a_run_of_another_agents_session_is_not_found(
    mind: Mind, api: Any, make_key: Any
) -> None:
    for agent, name in (("travel", "run-1"), ("billing", "run-2")):
        body = {"agent_id": agent, "external_id": name}
        done(mind.client.post("/v1/sessions", body))
    gone = {"agent_id": "billing", "external_id": "run-3"}
    session = done(mind.client.post("/v1/sessions", gone))["id"]
    mind.client.delete(f"/v1/sessions/{session}")
    limited = api(make_key(agents=["billing"]))
    items = [
        {"id": f"m-{n}", "memory": f"Fact {n}", "run_id": f"run-{n}"} for n in (1, 2, 3)
    ]

    told = done(limited.post("/v1/memories/import", {"memories": items}))

    assert [one["code"] for one in told["results"]] == [
        *("session_not_found", None, "session_not_found")
    ]


def test_an_import_has_a_size(mind: Mind) -> None:
    items = [{"id": str(n), "memory": f"Fact {n}"} for n in range(1_001)]

    assert mind.client.post("/v1/memories/import", {"memories": items}).status == 400
    assert mind.client.post("/v1/memories/import", {"memories": []}).status == 400
    imported = done(mind.client.post("/v1/memories/import", {"memories": items[:99]}))
    assert imported["imported"] == 99


def test_another_agents_import_is_unknown_to_a_limited_key(
    mind: Mind, api: Any, make_key: Any
) -> None:
    session = mind.session(agent="billing")
    mind.session(agent="travel")
    billing = Mind(api(make_key(agents=["billing"])))
    travel = Mind(api(make_key(agents=["travel"])))
    theirs = [
        {"id": "m-1", "memory": "Pays late", "agent_id": "billing"},
        {"id": "m-2", "memory": "Owes 5", "run_id": session},
        {"id": "m-3", "memory": "Is vegetarian", "user_id": "ada"},
    ]
    first = imported(billing, theirs)
    mine = [one | {"agent_id": "travel", "run_id": None} for one in theirs]

    told = imported(travel, mine)

    assert [one["result"] for one in told] == ["imported", "imported", "known"]
    assert told[2]["memory_id"] == first[2]["memory_id"]
    assert [one["result"] for one in imported(billing, theirs)] == ["known"] * 3
    assert {one["memory_id"] for one in told[:2]}.isdisjoint(
        one["memory_id"] for one in first
    )
    mind.client.delete(f"/v1/sessions/{session}")
    assert imported(billing, theirs)[1]["result"] == "known"


def imported(mind: Mind, items: Any) -> Any:
    return done(mind.client.post("/v1/memories/import", {"memories": items}))["results"]
