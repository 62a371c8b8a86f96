"""A graph's new code goes on with checkpoints of its old code, and stops that."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, TypedDict

import pytest
from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.graph import END, START, StateGraph

from stepback import Stepback, errors
from stepback.langgraph import StepbackSaver
from tests.live import Server

AGENT = "migrating-graph"


class Old(TypedDict):
    dest: str
    heard: list[AnyMessage]


class New(TypedDict):
    destination: str
    heard: list[AnyMessage]
    legs: list[str]


def graph(state: Any, step: Any, saver: StepbackSaver) -> Any:
    builder = StateGraph(state)
    builder.add_node("step", step)
    builder.add_edge(START, "step")
    builder.add_edge("step", END)
    return builder.compile(checkpointer=saver)


def old_step(state: Old) -> dict[str, Any]:
    return {"dest": state["dest"].title()}


def new_step(state: New) -> dict[str, Any]:
    return {"legs": [*state["legs"], state["destination"]]}


def config(thread_id: str) -> Any:
    return {"configurable": {"thread_id": thread_id}}


@pytest.fixture(scope="module")
def declared(live: Server) -> None:
    with Stepback(live.key("stepback-client", "--scope", "admin"), live.url) as admin:
        admin.sessions.create(AGENT)
        for version, strict in (("1", False), ("2", True)):
            admin.schemas.declare(AGENT, version, {"type": "object"}, strict=strict)
        admin.schemas.declare_migration(
            AGENT,
            "1",
            "2",
            [
                {"op": "rename", "at": "/dest", "to": "destination"},
                {"op": "default", "at": "/legs", "value": []},
            ],
        )


@pytest.fixture
def old(live: Server, secret: str, declared: None) -> Iterator[StepbackSaver]:
    with StepbackSaver(live.url, secret, agent_id=AGENT, schema="1") as made:
        yield made


@pytest.fixture
def new(live: Server, secret: str, declared: None) -> Iterator[StepbackSaver]:
    with StepbackSaver(live.url, secret, agent_id=AGENT, schema="2") as made:
        yield made


def test_new_code_goes_on_where_old_code_stopped(
    live: Server, secret: str, old: StepbackSaver, new: StepbackSaver
) -> None:
    before = graph(Old, old_step, old)
    before.invoke(
        {"dest": "berlin", "heard": [HumanMessage("Hi")]}, config("schema-trip-1")
    )

    after = graph(New, new_step, new)
    seen = after.get_state(config("schema-trip-1")).values
    assert (seen["destination"], seen["legs"]) == ("Berlin", [])
    assert isinstance(seen["heard"][0], HumanMessage)
    ended = after.invoke({"legs": ["Paris"]}, config("schema-trip-1"))

    assert ended["legs"] == ["Paris", "Berlin"]
    assert "dest" not in ended
    with Stepback(secret, live.url) as sb:
        (session,) = sb.sessions.list(agent_id=AGENT, external_id="schema-trip-1").data
        newest = sb.sessions.get_state(session.id)
        head = sb.sessions.get_version(session.id, newest.version)
        assert (head.schema_version, newest.state["destination"]) == ("2", "Berlin")


def test_old_code_is_stopped_once_new_code_has_written(
    old: StepbackSaver, new: StepbackSaver
) -> None:
    before = graph(Old, old_step, old)
    before.invoke({"dest": "rome", "heard": []}, config("schema-trip-2"))
    graph(New, new_step, new).invoke({"legs": []}, config("schema-trip-2"))

    with pytest.raises((errors.SchemaBehind, errors.NoMigration)):
        before.invoke({"dest": "oslo"}, config("schema-trip-2"))


def test_the_asynchronous_methods_do_the_same(
    old: StepbackSaver, new: StepbackSaver
) -> None:
    before = graph(Old, old_step, old)
    before.invoke({"dest": "lima", "heard": []}, config("schema-trip-3"))

    async def go_on() -> Any:
        async with new:
            app = graph(New, new_step, new)
            return await app.ainvoke({"legs": []}, config("schema-trip-3"))

    assert asyncio.run(go_on())["legs"] == ["Lima"]


def test_what_a_step_says_is_carried_on_by_a_graph_that_says_nothing(
    live: Server, secret: str
) -> None:
    silent = "carrying-graph"
    with (
        StepbackSaver(live.url, secret, agent_id=silent) as saver,
        Stepback(secret, live.url) as sb,
    ):
        app = graph(Old, old_step, saver)
        app.invoke({"dest": "berlin", "heard": []}, config("carried-1"))
        (session,) = sb.sessions.list(agent_id=silent, external_id="carried-1").data
        said = sb.sessions.update_state(
            session.id,
            {"note": "two to go"},
            schema_version="7",
            objective_status="Researching",
        )

        app.invoke({"dest": "rome"}, config("carried-1"))

        newest = sb.sessions.get(session.id).version
        assert newest > said.version + 1
        for number in range(said.version, newest + 1):
            one = sb.sessions.get_version(session.id, number)
            assert (one.schema_version, one.objective_status) == ("7", "Researching")


def test_what_a_graph_says_of_its_schema_is_carried_on_by_other_writes(
    live: Server, secret: str, new: StepbackSaver
) -> None:
    app = graph(New, new_step, new)
    app.invoke({"destination": "Oslo", "heard": [], "legs": []}, config("carried-2"))
    with Stepback(secret, live.url) as sb:
        (session,) = sb.sessions.list(agent_id=AGENT, external_id="carried-2").data
        done = sb.sessions.update_state(
            session.id, {"note": "paid"}, objective_status="Paid"
        )
        app.update_state(config("carried-2"), {"legs": ["Bergen"]})

        for number in (done.version, sb.sessions.get(session.id).version):
            one = sb.sessions.get_version(session.id, number)
            assert (one.schema_version, one.objective_status) == ("2", "Paid")


def test_a_schema_needs_what_people_can_read(live: Server, secret: str) -> None:
    with pytest.raises(ValueError, match="readable"):
        StepbackSaver(live.url, secret, schema="1", readable=False)
