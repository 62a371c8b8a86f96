"""One proof for every method of the SDK that is served, by the method's dotted name.

A proof calls its method as a user would, with every argument it has, and looks at
what came of it. A method without a proof fails the tests.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, TypeAlias

import httpx
import pytest

Proof: TypeAlias = Callable[[Any, httpx.Client, str], None]

PROOFS: dict[str, Proof] = {}
FACTS = {"step": "searching", "destination": "NYC", "price": 129.5, "seats": [1, None]}


def proves(name: str) -> Callable[[Proof], Proof]:
    def keep(proof: Proof) -> Proof:
        assert name not in PROOFS
        PROOFS[name] = proof
        return proof

    return keep


def assert_complete(answer: Any) -> None:
    """Assert that the server sent every field the SDK's model knows, none defaulted."""
    assert set(type(answer).model_fields) - answer.model_fields_set == set()


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def version_of(rest: httpx.Client, session_id: str, number: int) -> dict[str, Any]:
    answer = rest.get(f"/v1/sessions/{session_id}/versions/{number}")
    answer.raise_for_status()
    return dict(answer.json())


@proves("health")
def health(sdk: Any, rest: httpx.Client, agent_id: str) -> None:
    assert sdk.health()["status"]


@proves("close")
def close(sdk: Any, rest: httpx.Client, agent_id: str) -> None:
    sdk.close()

    assert sdk.client.is_closed
    with pytest.raises(RuntimeError):
        sdk.health()


@proves("sessions.create")
def create(sdk: Any, rest: httpx.Client, agent_id: str) -> None:
    made = sdk.sessions.create(
        agent_id=agent_id,
        user_id="user_7",
        metadata={"channel": "web"},
        initial_state=FACTS,
        ttl_seconds=3600,
    )

    assert_complete(made)
    assert (made.agent_id, made.user_id, made.state) == (agent_id, "user_7", FACTS)
    assert made.metadata == {"channel": "web"}
    assert (made.turn_count, made.memory_count) == (0, 0)
    lasts = moment(made.ttl_expires_at) - moment(made.created_at)
    assert lasts == timedelta(seconds=3600)
    bare = sdk.sessions.create(agent_id)
    assert (bare.state, bare.user_id, bare.metadata) == ({}, None, {})


@proves("sessions.get")
def get(sdk: Any, rest: httpx.Client, agent_id: str) -> None:
    made = sdk.sessions.create(agent_id, initial_state={"step": 1})
    sdk.sessions.update_state(made.id, {"step": 2})
    sdk.sessions.add_turn(made.id, "Hello", "Hi there!")

    read = sdk.sessions.get(made.id)

    assert_complete(read)
    assert (read.id, read.state, read.turn_count) == (made.id, {"step": 2}, 1)
    assert moment(read.updated_at) >= moment(read.created_at)


@proves("sessions.list")
def list_sessions(sdk: Any, rest: httpx.Client, agent_id: str) -> None:
    made = [sdk.sessions.create(agent_id) for _ in range(3)]
    newest_first = [session.id for session in reversed(made)]

    def found(**named: Any) -> list[str]:
        answer = sdk.sessions.list(agent_id=agent_id, **named)
        return [session["id"] for session in answer["data"]]

    page = sdk.sessions.list(agent_id=agent_id, limit=2)
    assert (page["object"], page["has_more"]) == ("list", True)
    assert [page["first_id"], page["last_id"]] == newest_first[:2]
    assert found(limit=2, starting_after=page["last_id"]) == newest_first[2:]
    assert found() == newest_first
    assert found(created_after=made[1].created_at) == newest_first[:1]
    assert found(created_after="2020-01-31") == newest_first
    assert found(created_after="2100-01-01") == []
    assert len(sdk.sessions.list(limit=1)["data"]) == 1


@proves("sessions.delete")
def delete(sdk: Any, rest: httpx.Client, agent_id: str) -> None:
    made = sdk.sessions.create(agent_id)

    assert sdk.sessions.delete(made.id) is None

    for read in (sdk.sessions.get, sdk.sessions.get_state, sdk.sessions.delete):
        with pytest.raises(httpx.HTTPStatusError) as refused:
            read(made.id)
        assert refused.value.response.status_code == 404
    assert sdk.sessions.list(agent_id=agent_id)["data"] == []


@proves("sessions.get_context")
def get_context(sdk: Any, rest: httpx.Client, agent_id: str) -> None:
    made = sdk.sessions.create(agent_id, initial_state=FACTS)
    for number in range(3):
        sdk.sessions.add_turn(made.id, f"question {number}", f"answer {number}")

    context = sdk.sessions.get_context(
        made.id, query="where to?", memory_limit=3, turn_limit=2
    )

    assert (context["state"], context["memories"]) == (FACTS, [])
    said = [turn["input"]["content"] for turn in context["recent_turns"]]
    assert said == ["question 2", "question 1"]
    assert len(sdk.sessions.get_context(made.id)["recent_turns"]) == 3


@proves("sessions.add_turn")
def add_turn(sdk: Any, rest: httpx.Client, agent_id: str) -> None:
    made = sdk.sessions.create(agent_id, initial_state={"step": 1})

    plain = sdk.sessions.add_turn(made.id, "Hello", "Hi there!")
    rich = sdk.sessions.add_turn(
        session_id=made.id,
        input={"type": "form", "content": "two fields", "fields": {"to": "NYC"}},
        output={"type": "text", "content": "Noted."},
        metadata={"latency_ms": 81.25},
        reasoning="The form was complete",
    )

    assert_complete(plain)
    assert (plain.turn_number, rich.turn_number) == (1, 2)
    assert (plain.input.content, plain.output.content) == ("Hello", "Hi there!")
    assert rich.metadata == {"latency_ms": 81.25}
    assert rich.reasoning == "The form was complete"
    whole = rest.get(f"/v1/sessions/{made.id}/turns/{rich.id}").json()
    assert whole["input"]["fields"] == {"to": "NYC"}
    assert sdk.sessions.get_state(made.id).version == 0


@proves("sessions.add_tool_call")
def add_tool_call(sdk: Any, rest: httpx.Client, agent_id: str) -> None:
    """The SDK's own models drop the call; the API keeps and shows it whole."""
    made = sdk.sessions.create(agent_id)
    arguments = {"to": "NYC", "options": {"direct": True, "stops": None}, "max": 1e3}
    output = {"flights": [{"id": "UA123", "price": 99.0}], "note": 'a "quoted" é'}

    turn = sdk.sessions.add_tool_call(
        session_id=made.id,
        tool_name="search_flights",
        arguments=arguments,
        output=output,
        tool_call_id="call_1",
        reasoning="The destination is known",
        metadata={"attempt": 1},
    )

    assert_complete(turn)
    assert (turn.input.type, turn.output.type) == ("tool_call", "tool_response")
    assert turn.output.content == str(output)
    whole = rest.get(f"/v1/sessions/{made.id}/turns/{turn.id}").json()
    assert whole["input"]["tool_metadata"] == {
        "name": "search_flights",
        "arguments": arguments,
        "id": "call_1",
    }
    assert whole["output"]["output"] == output
    assert (whole["reasoning"], whole["metadata"]) == (
        "The destination is known",
        {"attempt": 1},
    )
    nothing = sdk.sessions.add_tool_call(made.id, "ping", {}, None)
    assert (nothing.turn_number, nothing.output.content) == (2, "None")


@proves("sessions.list_turns")
def list_turns(sdk: Any, rest: httpx.Client, agent_id: str) -> None:
    made = sdk.sessions.create(agent_id)
    turns = [sdk.sessions.add_turn(made.id, f"in {n}", f"out {n}") for n in range(3)]

    newest = sdk.sessions.list_turns(made.id, limit=2)
    rest_of_them = sdk.sessions.list_turns(made.id, starting_after=newest[-1].id)

    assert newest == [turns[2], turns[1]]
    assert rest_of_them == [turns[0]]
    for turn in newest:
        assert_complete(turn)


@proves("sessions.get_state")
def get_state(sdk: Any, rest: httpx.Client, agent_id: str) -> None:
    made = sdk.sessions.create(agent_id, initial_state=FACTS)

    state = sdk.sessions.get_state(made.id)

    assert_complete(state)
    assert (state.session_id, state.version, state.state) == (made.id, 0, FACTS)


@proves("sessions.update_state")
def update_state(sdk: Any, rest: httpx.Client, agent_id: str) -> None:
    """Keys that are not named stay; null is a value, not a removal."""
    made = sdk.sessions.create(agent_id, initial_state=FACTS)

    state = sdk.sessions.update_state(
        session_id=made.id,
        state={"destination": None, "flight": "UA123"},
        reasoning="User selected flight",
    )

    assert_complete(state)
    assert state.version == 1
    assert state.state == FACTS | {"destination": None, "flight": "UA123"}
    assert version_of(rest, made.id, 1)["reasoning"] == "User selected flight"
    assert sdk.sessions.update_state(made.id, {"step": "done"}).version == 2


@proves("sessions.rollback")
def rollback(sdk: Any, rest: httpx.Client, agent_id: str) -> None:
    made = sdk.sessions.create(agent_id, initial_state={"n": 0})
    for number in (1, 2, 3):
        sdk.sessions.update_state(made.id, {"n": number})

    restored = sdk.sessions.rollback(session_id=made.id, version=1)

    assert_complete(restored)
    assert (restored.version, restored.state) == (4, {"n": 1})
    assert version_of(rest, made.id, 4)["restored_version"] == 1
    before = sdk.sessions.rollback(made.id, -1)
    assert (before.version, before.state) == (5, {"n": 3})
    for number in (5, 99):
        with pytest.raises(httpx.HTTPStatusError) as refused:
            sdk.sessions.rollback(made.id, number)
        assert refused.value.response.is_client_error
    assert sdk.sessions.get_state(made.id).version == 5


@proves("sessions.fork")
def fork(sdk: Any, rest: httpx.Client, agent_id: str) -> None:
    made = sdk.sessions.create(agent_id, initial_state={"n": 0})
    sdk.sessions.update_state(made.id, {"n": 1})
    sdk.sessions.update_state(made.id, {"n": 2})

    middle = sdk.sessions.fork(session_id=made.id, version=1)
    head = sdk.sessions.fork(made.id)

    assert_complete(middle)
    assert (middle.state, head.state) == ({"n": 1}, {"n": 2})
    assert len({made.id, middle.id, head.id}) == 3
    assert (middle.agent_id, head.agent_id) == (agent_id, agent_id)
    for forked, version in ((middle, 1), (head, 2)):
        origin = {"forked_from": made.id, "forked_version": version}
        assert forked.metadata | origin == forked.metadata
        assert sdk.sessions.get_state(forked.id).version == 0


@proves("memory.add")
def add_memory(sdk: Any, rest: httpx.Client, agent_id: str) -> None:
    session = sdk.sessions.create(agent_id, user_id="user_7")

    made = sdk.memory.add(
        "Prefers aisle seats",
        type="preference",
        session_id=session.id,
        tags=["seats"],
        metadata={"from": "chat"},
    )

    assert made.id.startswith("mem_")
    assert (made.content, made.type) == ("Prefers aisle seats", "preference")
    assert (made.session_id, made.created_at) != ("", "")
    kept = rest.get(f"/v1/memories/{made.id}").json()
    assert (kept["tags"], kept["metadata"]) == (["seats"], {"from": "chat"})
    assert sdk.sessions.get(session.id).memory_count == 1
    everywhere = sdk.memory.add(f"{agent_id} is open on Mondays")
    assert (everywhere.session_id, everywhere.type) == ("", "fact")
    # All sessions of the project would know it.
    assert rest.delete(f"/v1/memories/{everywhere.id}").status_code == 204


@proves("memory.search")
def search_memories(sdk: Any, rest: httpx.Client, agent_id: str) -> None:
    session = sdk.sessions.create(agent_id, user_id=agent_id)
    for content, kind, tags in (
        ("Prefers an aisle seat on long flights", "preference", ["seats"]),
        ("The customer wants his money back", "event", ["refund", "money"]),
        ("Is allergic to peanuts", "fact", ["food"]),
    ):
        sdk.memory.add(content, kind, session.id, tags)

    def found(query: str, **named: Any) -> list[str]:
        asked = {"session_id": session.id, "types": None, "tags": None, **named}
        return [one.content for one in sdk.memory.search(query, **asked)]

    first, *_ = sdk.memory.search(
        "asks for a refund", session_id=session.id, threshold=0.3
    )
    assert first.content == "The customer wants his money back"
    assert (first.session_id, first.type) == (session.id, "event")
    assert 0.3 <= first.score <= 1
    seats = ["Prefers an aisle seat on long flights"]
    assert found("aisle seat") == seats
    assert found("aisle seat", types="preference,fact", tags="seats,x") == seats
    assert found("aisle seat", types="event", threshold=0.7) == []
    assert len(found("aisle seat", threshold=0.0, limit=2)) == 2
    context = sdk.sessions.get_context(session.id, query="aisle seat", memory_limit=1)
    assert [one["content"] for one in context["memories"]] == seats
    assert context["average_relevance"] == context["memories"][0]["score"]
    assert context["drift_warning"] is False
    adrift = sdk.sessions.get_context(session.id, query="quantum chromodynamics")
    assert adrift["drift_warning"] is True
    assert 0 <= adrift["average_relevance"] < 0.5
