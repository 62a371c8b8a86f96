"""A real graph kept in Stepback: the same states as with LangGraph's own savers.

The graph has a scripted model, a tool, a sub-graph and an interrupt; it is streamed,
resumed, forked by `update_state`, replayed from an old checkpoint and rolled back.
"""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.base import BaseCheckpointSaver, empty_checkpoint
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, Interrupt

from stepback import Conflict, Stepback
from stepback.langgraph import StepbackSaver
from tests.live import Server
from tests.python_client.theirs import postgres
from tests.python_client.trip_graph import graph


@pytest.fixture
def saver(live: Server, secret: str) -> Iterator[StepbackSaver]:
    with StepbackSaver(live.url, secret, agent_id="trips") as made:
        yield made


def history(app: Any, config: Any) -> list[tuple[Any, ...]]:
    """Return every state, newest first, without ids and times that are made anew."""
    found = list(app.get_state_history(config))
    places = {
        one.config["configurable"]["checkpoint_id"]: at
        for at, one in enumerate(reversed(found))
    }
    return [
        (
            one.values,
            one.next,
            one.metadata["source"],
            one.metadata["step"],
            places.get(
                (one.parent_config or {}).get("configurable", {}).get("checkpoint_id")
            ),
            [(task.name, [i.value for i in task.interrupts]) for task in one.tasks],
        )
        for one in found
    ]


def story(saver: BaseCheckpointSaver[Any], thread_id: str) -> list[Any]:
    """Run the graph through all that it offers; return what was seen on the way."""
    app, config = graph(saver), {"configurable": {"thread_id": thread_id}}
    seen: list[Any] = []
    first = {"messages": [HumanMessage("A seat, please", id="human-1")]}
    seen.append(list(app.stream(first, config, stream_mode="values")))
    seen.append(history(app, config))
    seen.append(list(app.stream(Command(resume=True), config, stream_mode="updates")))
    seen.append(app.get_state(config).values)
    seen.append(history(app, config))
    past = next(one for one in app.get_state_history(config) if one.next == ("book",))
    fork = app.update_state(past.config, {"seats": ["window"]})
    seen.append(app.invoke(None, fork))
    seen.append(history(app, config))
    start = [one for one in app.get_state_history(config) if one.next == ("model",)][-1]
    seen.append(app.invoke(None, start.config))
    seen.append(app.invoke(Command(resume=False), config))
    seen.append(history(app, config))
    return [without_ids(one) for one in seen]


def without_ids(seen: Any) -> Any:
    """Leave out the ids of interrupts, which are made of the run's."""
    if isinstance(seen, Interrupt):
        return ("interrupt", seen.value)
    if isinstance(seen, dict):
        return {name: without_ids(one) for name, one in seen.items()}
    if isinstance(seen, list | tuple):
        return [without_ids(one) for one in seen]
    return seen


def test_a_graph_has_the_same_states_step_by_step(saver: StepbackSaver) -> None:
    with postgres("graph") as other:
        theirs = story(other, "trip-1")
    in_memory = story(InMemorySaver(), "trip-1")
    ours = story(saver, "trip-1")

    assert in_memory == theirs
    assert ours == theirs


def test_rolling_back_restores_the_state_and_the_run_goes_on_from_it(
    saver: StepbackSaver,
) -> None:
    app, config = graph(saver), {"configurable": {"thread_id": "trip-back"}}
    app.invoke({"messages": [HumanMessage("A seat", id="h")]}, config)
    app.invoke(Command(resume=True), config)
    states = list(app.get_state_history(config))
    target = next(one for one in states if one.next == ("approve",))
    before = app.get_state(config).config["configurable"]["checkpoint_id"]

    result = saver.rollback_to(
        thread_id="trip-back",
        checkpoint_id=target.config["configurable"]["checkpoint_id"],
    )

    head = app.get_state(config)
    assert result["restored_from"] == target.config["configurable"]["checkpoint_id"]
    assert result["verified"] is True
    assert head.config["configurable"]["checkpoint_id"] == result["checkpoint_id"]
    assert head.parent_config["configurable"]["checkpoint_id"] == before
    assert (head.values, head.next) == (target.values, ("approve",))
    assert head.metadata["rolled_back_from"] == result["restored_from"]
    assert len(list(app.get_state_history(config))) == len(states) + 1
    again = app.invoke(None, config)
    assert again["__interrupt__"][0].value == {"question": "Book it?"}
    done = app.invoke(Command(resume=False), config)
    assert (done["approved"], done["messages"][-1].content) == (False, "Booked.")
    with pytest.raises(LookupError, match="checkpoint not found"):
        saver.rollback_to(thread_id="trip-back", checkpoint_id="never")


def test_a_rollback_by_a_person_is_where_the_agent_goes_on(
    live: Server, secret: str, saver: StepbackSaver
) -> None:
    app, config = graph(saver), {"configurable": {"thread_id": "trip-person"}}
    app.invoke({"messages": [HumanMessage("A seat", id="h")]}, config)
    before = app.get_state(config)
    app.invoke(Command(resume=True), config)
    with Stepback(secret, live.url) as sb:
        (session,) = sb.sessions.list(external_id="trip-person").data
        versions = sb.sessions.list_versions(session.id, limit=100).data
        name = before.config["configurable"]["checkpoint_id"]
        number = next(one.version for one in versions if one.external_id == name)
        sb.sessions.rollback(session.id, number, "wrong seat")

    head = app.get_state(config)

    assert (head.values, head.next) == (before.values, ("approve",))
    assert head.config["configurable"]["checkpoint_id"] != name
    app.invoke(None, config)
    assert app.invoke(Command(resume=True), config)["seats"][0] == "12A"


def test_a_paused_session_stops_the_graph_and_a_resumed_one_goes_on(
    live: Server, secret: str, saver: StepbackSaver
) -> None:
    app, config = graph(saver), {"configurable": {"thread_id": "trip-paused"}}
    app.invoke({"messages": [HumanMessage("A seat", id="h")]}, config)
    with Stepback(secret, live.url) as sb:
        (session,) = sb.sessions.list(external_id="trip-paused").data
        sb.sessions.pause(session.id)
        with pytest.raises(Exception, match="paused"):
            app.invoke(Command(resume=True), config)
        sb.sessions.resume(session.id)

    assert app.invoke(Command(resume=True), config)["approved"] is True


def test_people_read_the_channels_as_json(
    live: Server, secret: str, saver: StepbackSaver
) -> None:
    app, config = graph(saver), {"configurable": {"thread_id": "trip-read"}}
    app.invoke({"messages": [HumanMessage("A seat", id="h")]}, config)
    app.invoke(Command(resume=True), config)

    with Stepback(secret, live.url) as sb:
        (session,) = sb.sessions.list(external_id="trip-read").data
        children = sb.sessions.list(metadata={"parent_session_id": session.id}).data

    assert session.state["seats"] == app.get_state(config).values["seats"]
    assert session.state["messages"][0] == {
        "type": "human",
        "content": "A seat",
        "id": "h",
    }
    assert [one["type"] for one in session.state["messages"]] == [
        "human",
        "ai",
        "tool",
        "ai",
    ]
    assert (session.agent_id, len(children)) == ("trips", 1)
    assert children[0].metadata["langgraph"]["checkpoint_ns"].startswith("checks:")


def test_a_fork_is_a_thread_of_its_own(saver: StepbackSaver) -> None:
    app, config = graph(saver), {"configurable": {"thread_id": "trip-fork"}}
    app.invoke({"messages": [HumanMessage("A seat", id="h")]}, config)
    name = app.get_state(config).config["configurable"]["checkpoint_id"]

    forked = saver.fork("trip-fork", name, "trip-forked")

    assert app.get_state(forked).values == app.get_state(config).values
    app.invoke(None, forked)
    assert app.invoke(Command(resume=True), forked)["approved"] is True
    assert app.get_state(config).next == ("approve",)


def test_two_workers_that_go_on_from_one_checkpoint_do_not_both_win(
    live: Server, secret: str
) -> None:
    with (
        StepbackSaver(live.url, secret) as one,
        StepbackSaver(live.url, secret) as two,
    ):
        config = {"configurable": {"thread_id": "trip-race", "checkpoint_ns": ""}}
        graph(one).invoke({"messages": [HumanMessage("A seat", id="h")]}, config)
        read_one, read_two = one.get_tuple(config), two.get_tuple(config)
        assert read_one is not None
        assert read_two is not None
        first, second = (dict(read.checkpoint) for read in (read_one, read_two))
        first["id"], second["id"] = "1f-first", "1f-second"

        one.put(read_one.config, first, read_one.metadata, {})
        with pytest.raises(Conflict):
            two.put(read_two.config, second, read_two.metadata, {})

        head = two.get_tuple(config)
        assert head is not None
        assert head.config["configurable"]["checkpoint_id"] == "1f-first"


def test_a_thread_may_be_named_as_if_it_were_a_session(
    live: Server, secret: str, saver: StepbackSaver
) -> None:
    app = graph(saver)
    config: Any = {"configurable": {"thread_id": "sess_of_another_product"}}
    saver.delete_thread("sess_of_another_product")
    app.invoke({"messages": [HumanMessage("A seat", id="h")]}, config)

    with Stepback(secret, live.url) as client:
        (kept,) = client.sessions.list(external_id="sess_of_another_product").data
        fork = client.sessions.fork(kept.id)
    # Who did not begin it knows it by its name, and a fork by its own id.
    with StepbackSaver(live.url, secret) as other:
        for thread_id in ("sess_of_another_product", fork.id):
            found = other.get_tuple({"configurable": {"thread_id": thread_id}})
            assert found is not None
            assert found.config["configurable"]["thread_id"] == thread_id


def saved(saver: StepbackSaver, thread_id: str, run_id: str, count: int = 1) -> Any:
    """Save checkpoints of a run; return their configs, the oldest first."""
    made, config = [], {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}
    for step in range(count):
        metadata: Any = {"source": "loop", "step": step, "run_id": run_id}
        config = saver.put(config, empty_checkpoint(), metadata, {})  # type: ignore[assignment,arg-type]
        made.append(config)
    return made


def listed(saver: StepbackSaver, *asked: Any, **more: Any) -> list[str]:
    found = saver.list(*asked, **more)
    return [one.checkpoint["id"] for one in found]


def test_a_checkpoint_that_is_named_and_not_before_another_is_not_listed(
    saver: StepbackSaver,
) -> None:
    first, second = saved(saver, "before-named", "run-1", 2)

    assert listed(saver, second, before=first) == []
    assert listed(saver, second, before=second) == []
    assert len(listed(saver, first, before=second)) == 1


def test_what_is_not_before_one_of_another_thread_is_not_listed_on_any_page(
    saver: StepbackSaver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stepback._sync.thread_reads.PAGE", 1)
    (other,) = saved(saver, "before-other", "run-1")
    saved(saver, "before-pages", "run-1", 3)
    thread = {"configurable": {"thread_id": "before-pages"}}

    assert len(listed(saver, thread)) == 3
    assert listed(saver, thread, before=other) == []


def test_threads_and_runs_are_named_as_they_are_kept(saver: StepbackSaver) -> None:
    run_id = uuid.uuid4()
    kept = {"configurable": {"thread_id": "5"}}
    saved(saver, "5", str(run_id), 3)
    saved(saver, "6", "run-6")

    saver.prune([5])  # type: ignore[list-item]
    assert len(listed(saver, kept)) == 1
    with pytest.raises(ValueError, match="A run has an id"):
        saver.delete_for_runs([str(run_id), ""])
    assert len(listed(saver, kept)) == 1
    saver.delete_for_runs([run_id])  # type: ignore[list-item]
    assert listed(saver, kept) == []
    saver.prune("6", strategy="delete")
    assert listed(saver, {"configurable": {"thread_id": "6"}}) == []


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_every_durability_ends_in_the_same_state(
    saver: StepbackSaver, durability: Any
) -> None:
    app = graph(saver)
    config = {"configurable": {"thread_id": f"trip-{durability}"}}
    first = {"messages": [HumanMessage("A seat", id="h")]}
    app.invoke(first, config, durability=durability)
    done = app.invoke(Command(resume=True), config, durability=durability)

    assert done["messages"][-1].content == "Booked."
    assert app.get_state(config).values == done


def test_each_event_loop_lets_go_of_its_connections(saver: StepbackSaver) -> None:
    """As in a process that answers each job by `asyncio.run`."""
    config: Any = {"configurable": {"thread_id": "jobs"}}

    def job() -> int:
        assert asyncio.run(saver.aget_tuple(config)) is None
        return open_sockets()

    first = job()

    assert [job() for _ in range(5)] == [first] * 5


def open_sockets() -> int:
    links = [os.path.realpath(one) for one in Path("/proc/self/fd").iterdir()]
    return sum("socket:" in one for one in links)
