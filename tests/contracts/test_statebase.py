"""Every field and parameter that StateBase and Anchor know is met, or refused by name.

`docs/statebase.md` has the same table for people: its rows are held to those here.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from apps.timeline import bodies
from apps.timeline.bodies.caching import Cache
from tests.contracts.statebase import (
    SESSION,
    Agent,
    Proof,
    back_to,
    between,
    filtered,
    forked,
    made,
    make_agent,
    paged,
    said,
    turn,
)

pytestmark = pytest.mark.django_db

DOCS = Path(__file__).resolve().parents[2] / "docs/statebase.md"
MET, REFUSED, NAMED = "met", "refused", "named"
CREATE, LIST = "POST /v1/sessions", "GET /v1/sessions"
FORK, CHANGE = f"POST {SESSION}/fork", f"PATCH {SESSION}"
PATCH, PUT, POST = (f"{verb} {SESSION}/state" for verb in ("PATCH", "PUT", "POST"))
STATES, HISTORY = f"GET {SESSION}/state/history", f"GET {SESSION}/history"
BACKS = (f"POST {SESSION}/rollback", f"POST {SESSION}/state/rollback")
ADD_TURN, TURNS = f"POST {SESSION}/turns", f"GET {SESSION}/turns"
CONTEXT = f"POST {SESSION}/context"
TRACES, OF_ONE = "GET /v1/traces", "GET /v1/traces/sessions/{id}/traces"
KEYS = "POST /v1/dashboard/keys"
MAKE, CHANGE_AGENT = "POST /v1/agents", "PATCH /v1/agents/{agent}"
AGENTS = "GET /v1/agents"
ADD_MEMORY, MEMORIES = "POST /v1/memories", "GET /v1/memories"


@pytest.fixture(scope="module")
def agent_once(django_db_setup: Any, django_db_blocker: Any) -> Iterator[Agent]:
    """The agent of all tests here; each of them undoes what it did."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield make_agent()
        transaction.set_rollback(True)


@pytest.fixture
def agent(agent_once: Agent, db: Any, monkeypatch: pytest.MonkeyPatch) -> Agent:
    # A test before this one may have made the same versions with other bodies.
    monkeypatch.setattr(bodies, "cache", Cache())
    return agent_once


PROOFS: dict[tuple[str, str], Proof] = {
    (CREATE, "agent_id"): lambda one: made()(one)["agent_id"] == "a",
    (CREATE, "user_id"): lambda one: made(user_id="u")(one)["user_id"] == "u",
    (CREATE, "initial_state"): lambda one: (
        made(initial_state={"a": None})(one)["state"] == {"a": None}
    ),
    (CREATE, "metadata"): lambda one: (
        made(metadata={"a": 1})(one)["metadata"] == {"a": 1}
    ),
    (CREATE, "ttl_seconds"): lambda one: bool(
        made(ttl_seconds=9)(one)["ttl_expires_at"]
    ),
    (LIST, "agent_id"): filtered(LIST, "agent_id", "other", "nobody"),
    (LIST, "user_id"): filtered(LIST, "user_id", "u-2", "nobody"),
    (LIST, "metadata"): filtered(LIST, "metadata", '{"order":"A-1"}', '{"order":1}'),
    **between(LIST, ("created_after", "created_before")),
    **paged(LIST),
    (CHANGE, "metadata"): lambda one: (
        one.done(CHANGE, {"metadata": {"b": 2}})["metadata"] == {"order": "A-1", "b": 2}
    ),
    (CHANGE, "ttl_seconds"): lambda one: bool(
        one.done(CHANGE, {"ttl_seconds": 9})["ttl_expires_at"]
    ),
    (FORK, "version"): lambda one: (
        [forked(one, version=number)["forked_version"] for number in (1, -1, None)]
        == [1, 2, 3]
    ),
    (FORK, "new_agent_id"): lambda one: (
        forked(one, new_agent_id="b")["agent_id"] == "b"
    ),
    (FORK, "at_turn_id"): lambda one: (
        [forked(one, at_turn_id=made)["forked_version"] for made in one.turns] == [1, 2]
    ),
    (FORK, "source_session_id"): lambda one: (
        forked(one, source_session_id=one.run.id)["forked_from"] == one.run.id
        and one.ask(FORK, {"source_session_id": one.other.id}).status == 400
    ),
    (HISTORY, "limit"): lambda one: (
        len(one.done(HISTORY, None, {"limit": 1})["data"]) == 1
    ),
    (HISTORY, "include_state"): lambda one: (
        "state" not in one.done(HISTORY, None, {"include_state": "false"})["data"][0]
    ),
    (HISTORY, "include_traces"): lambda one: (
        "traces" not in one.done(HISTORY, None, {"include_traces": "false"})
    ),
    (PATCH, "state"): lambda one: (
        one.done(PATCH, {"state": {"a": 1}})["state"] == {"n": 3, "a": 1}
    ),
    (PATCH, "updates"): lambda one: (
        one.done(PATCH, {"updates": {"a": 1}})["state"] == {"n": 3, "a": 1}
    ),
    (PATCH, "reasoning"): said(PATCH, {"state": {"a": 1}, "reasoning": "because"}),
    (PATCH, "reason"): said(PATCH, {"state": {"a": 1}, "reason": "because"}),
    **{
        (route, "state"): lambda one, route=route: (
            one.done(route, {"state": {"a": 1}})["state"] == {"a": 1}
        )
        for route in (PUT, POST)
    },
    **{
        (route, name): said(route, {"state": {"a": 1}, name: "because"})
        for route in (PUT, POST)
        for name in ("reasoning", "reason")
    },
    (STATES, "limit"): lambda one: (
        len(one.done(STATES, None, {"limit": 1})["data"]) == 1
    ),
    (STATES, "since_version"): lambda one: (
        len(one.done(STATES, None, {"since_version": 1})["data"]) == 2
    ),
    **{
        (route, "version"): lambda one, route=route: (
            [back_to(route, version=number)(one) for number in (0, -1)] == [0, 3]
        )
        for route in BACKS
    },
    **{
        (route, name): said(route, {"version": 0, name: "because"})
        for route in BACKS
        for name in ("reason", "reasoning")
    },
    **{
        (route, "count"): lambda one, route=route: back_to(route, count=2)(one) == 1
        for route in BACKS
    },
    **{
        (route, name): lambda one, route=route, name=name: (
            back_to(route, **{name: one.turns[0]})(one) == 1
        )
        for route in BACKS
        for name in ("turn_id", "targetTurnId")
    },
    (ADD_TURN, "input"): lambda one: turn(one)["input"]["content"] == "i",
    (ADD_TURN, "output"): lambda one: (
        turn(one, output={"type": "x", "content": "c"})["output"]["type"] == "x"
    ),
    (ADD_TURN, "metadata"): lambda one: (
        turn(one, metadata={"ms": 1})["metadata"] == {"ms": 1}
    ),
    (ADD_TURN, "reasoning"): lambda one: turn(one, reasoning="r")["reasoning"] == "r",
    (ADD_TURN, "reason"): lambda one: turn(one, reason="r")["reasoning"] == "r",
    (ADD_TURN, "state_before"): lambda one: (
        turn(one, state_before={"n": 9})["state_before"] == {"n": 9}
    ),
    (ADD_TURN, "state_after"): lambda one: (
        turn(one, state_after={"n": 9})["version"] == 4
    ),
    **paged(TURNS),
    (TURNS, "order"): lambda one: one.ids(TURNS, order="asc") == list(one.turns),
    (TRACES, "session_id"): filtered(TRACES, "session_id", "{id}", "sess_none"),
    (TRACES, "agent_id"): filtered(TRACES, "agent_id", "travel", "nobody"),
    (TRACES, "user_id"): filtered(TRACES, "user_id", "u-1", "nobody"),
    (TRACES, "action"): lambda one: (
        len(one.ids(TRACES, action="session.created")) == 2
        and one.ask(TRACES, None, {"action": "session.promote"}).status == 400
    ),
    (TRACES, "resource_type"): filtered(TRACES, "resource_type", "turn", "nothing"),
    (TRACES, "resource_id"): filtered(TRACES, "resource_id", "{id}", "nothing"),
    **between(TRACES, ("created_after", "created_before")),
    **between(TRACES, ("start_time", "end_time")),
    **paged(TRACES),
    **paged(OF_ONE),
    (OF_ONE, "action"): lambda one: (
        len(one.ids(OF_ONE, action="state.updated")) == 3
        and one.ask(OF_ONE, None, {"action": "state.update"}).status == 400
    ),
    (CONTEXT, "turn_limit"): lambda one: (
        len(one.done(CONTEXT, {"turn_limit": 1})["recent_turns"]) == 1
    ),
    (CONTEXT, "query"): lambda one: remembered(one, {"query": "seats"}) == SAID[1:],
    (CONTEXT, "memory_limit"): lambda one: (
        remembered(one, {"memory_limit": 1}) == SAID[:1]
    ),
    **{
        (ADD_MEMORY, name): lambda one, name=name, value=value: (
            one.done(ADD_MEMORY, {"content": "c", name: value})[name] == value
        )
        for name, value in {
            "content": "d",
            "type": "fact",
            "tags": ["a"],
            "metadata": {"a": 1},
        }.items()
    },
    (ADD_MEMORY, "session_id"): lambda one: (
        one.done(ADD_MEMORY, {"content": "c", "session_id": one.run.id})["session_id"]
        == one.run.id
    ),
    (ADD_MEMORY, "embed"): lambda one: (
        one.done(ADD_MEMORY, {"content": "c", "embed": False})["vector_available"]
        is False
    ),
    (ADD_MEMORY, "memory_type"): lambda one: (
        one.done(ADD_MEMORY, {"content": "c", "memory_type": "fact"})["type"] == "fact"
    ),
    **{
        (MEMORIES, name): lambda one, query=query: told_of(one, query)
        for name, query in {
            "query": {"query": "aisle seats"},
            "session_id": {"session_id": "{id}", "limit": 1},
            "user_id": {"user_id": "u-1", "limit": 1},
            "type": {"type": "fact"},
            "types": {"query": "aisle seats", "types": "fact,x"},
            "tags": {"tags": "seats"},
            "top_k": {"query": "likes aisle seats", "top_k": 1, "threshold": 0},
            "limit": {"query": "likes aisle seats", "limit": 1, "threshold": 0},
            "threshold": {"query": "aisle seats", "threshold": 0.7},
        }.items()
    },
    (MEMORIES, "starting_after"): lambda one: (
        one.ids(MEMORIES, starting_after=told_last(one)) == []
    ),
    (KEYS, "name"): lambda one: one.done(KEYS, {"name": "k"})["name"] == "k",
    (KEYS, "rate_limit"): lambda one: (
        one.done(KEYS, {"name": "k", "rate_limit": 7})["rate_limit"] == 7
    ),
    (KEYS, "expires_days"): lambda one: bool(
        one.done(KEYS, {"name": "k", "expires_days": 7})["expires_at"]
    ),
    **{
        (MAKE, name): lambda one, name=name, value=value: (
            one.done(MAKE, {"name": "n", name: value})[name] == value
        )
        for name, value in {
            "name": "m",
            "description": "d",
            "owner": "o",
            "team": "t",
            "tags": ["a"],
            "metadata": {"a": 1},
            "config": {"a": 1},
        }.items()
    },
    (CHANGE_AGENT, "metadata"): lambda one: (
        one.done(CHANGE_AGENT, {"metadata": {"a": 1}})["metadata"] == {"a": 1}
    ),
    (AGENTS, "status"): lambda one: (
        not one.ids(AGENTS, status="suspended")
        and len(one.ids(AGENTS, status="active")) == 3
    ),
    (AGENTS, "owner"): filtered(AGENTS, "owner", "a", "b"),
    (AGENTS, "team"): filtered(AGENTS, "team", "money", "b"),
    (AGENTS, "limit"): lambda one: len(one.ids(AGENTS, limit=1)) == 1,
    (AGENTS, "offset"): lambda one: len(one.ids(AGENTS, offset=1)) == 2,
}
# What is sent, in the body or in the query, and a part of the sentence that refuses it.
REFUSALS: dict[tuple[str, str], tuple[Any, str]] = {
    (LIST, "objective_status"): ("Failed", "it is of each version"),
    (LIST, "offset"): ("20", "as `starting_after`"),
    (TRACES, "offset"): ("20", "as `starting_after`"),
    (PATCH, "environment"): ({"image": "a"}, "name it in `artifacts`"),
    (PUT, "updates"): ({"n": 1}, "send `state` whole"),
    **{(route, "paths"): (["/n"], "restores a version whole") for route in BACKS},
    **{(route, "turn_count"): (1, "give `count`") for route in BACKS},
    (MAKE, "memoryPolicy"): ({}, "keeps no such policy"),
    (CHANGE_AGENT, "status"): ("suspended", "/suspend and /activate"),
}
# What is taken because clients send it, and named in `ignored` as not kept.
NAMINGS = {(KEYS, "owner_id"): {"name": "k", "owner_id": "o"}}
# Whole routes that are not served, and why.
NOT_SERVED = {
    "POST /v1/entities": (404, "keeps no entities"),
    "POST /v1/traces": (405, "POST"),
    f"GET {SESSION}/context": (405, "GET"),
}


SAID = ["Answers in French", "Likes aisle seats"]


def remembered(one: Agent, asked: dict[str, Any]) -> list[str]:
    """Return what the context tells of two memories that the session has."""
    for content in SAID[::-1]:
        one.done(ADD_MEMORY, {"content": content, "session_id": one.run.id})
    answered = one.done(CONTEXT, {"memory_limit": 1, **asked})
    return [memory["content"] for memory in answered["memories"]]


def told_of(one: Agent, query: dict[str, Any]) -> bool:
    """Say whether a list or a search keeps that memory alone of several."""
    told = {"content": SAID[1], "type": "fact", "tags": ["seats"], "user_id": "u-1"}
    one.done(ADD_MEMORY, {"content": SAID[0], "user_id": "u-1"})
    one.done(ADD_MEMORY, {"content": SAID[0]})
    one.done(ADD_MEMORY, told)
    one.done(ADD_MEMORY, told | {"user_id": None})
    asked = {name: one.run.id if v == "{id}" else v for name, v in query.items()}
    found = one.done(MEMORIES, None, asked)["data"]
    return [memory["content"] for memory in found] == SAID[1:]


def told_last(one: Agent) -> str:
    """Return the memory behind which a list ends."""
    first = one.done(ADD_MEMORY, {"content": SAID[0]})
    one.done(ADD_MEMORY, {"content": SAID[1]})
    return str(first["id"])


def name_of(row: tuple[str, str]) -> str:
    return " ".join(row)


@pytest.mark.parametrize("row", PROOFS, ids=name_of)
def test_it_is_met(row: tuple[str, str], agent: Agent) -> None:
    assert PROOFS[row](agent)


@pytest.mark.parametrize("row", REFUSALS, ids=name_of)
def test_it_is_refused_by_name(row: tuple[str, str], agent: Agent) -> None:
    (route, name), (value, sentence) = row, REFUSALS[row]
    is_read = route.startswith("GET ")
    body = None if is_read else {"state": {}, "version": 0, "name": "n", name: value}
    before = agent.run.get("versions")

    answer = agent.ask(route, body, {name: value} if is_read else None)

    code = "unknown_parameter" if is_read else "unknown_field"
    assert (answer.status, answer.code) == (400, code), answer.content
    told = [answer.body["error"], *answer.body["error"].get("errors", [])]
    (message,) = {one["message"] for one in told if one["param"] == name}
    assert f"`{name}`" in message
    assert sentence in message
    assert agent.run.get("versions") == before


@pytest.mark.parametrize("row", NAMINGS, ids=name_of)
def test_it_is_named_as_not_kept(row: tuple[str, str], agent: Agent) -> None:
    assert agent.done(row[0], NAMINGS[row])["ignored"] == [row[1]]


@pytest.mark.parametrize("route", NOT_SERVED)
def test_a_route_that_is_not_served_says_so(route: str, agent: Agent) -> None:
    status, sentence = NOT_SERVED[route]

    answer = agent.ask(route)

    assert answer.status == status
    assert sentence in answer.body["error"]["message"]


def test_the_table_for_people_has_the_same_rows() -> None:
    rows = re.findall(r"^\| `(.+?)` \| (.+?) \| (\w+)", DOCS.read_text(), re.M)
    listed = {
        (route, name): verdict
        for route, names, verdict in rows
        for name in re.findall(r"`(\w+)`", names)
    }
    expected = dict.fromkeys(PROOFS, MET) | dict.fromkeys(REFUSALS, REFUSED)
    expected |= dict.fromkeys(NAMINGS, NAMED)

    assert listed == expected


def test_the_text_for_people_names_what_is_not_served() -> None:
    text = DOCS.read_text()

    assert [route for route in NOT_SERVED if f"`{route}`" not in text] == []
