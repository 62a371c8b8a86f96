"""`stepback continue` goes on with what people have decided, each thread once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from stepback import Stepback
from stepback.cli.__main__ import main
from tests.live import Server
from tests.python_client import seat_graph
from tests.python_client.people import Person

PLACE = "tests.python_client.seat_graph:graph"
PROJECT = "continuing"


@pytest.fixture(scope="module")
def key(live: Server) -> str:
    return live.key(PROJECT)


@pytest.fixture
def sb(live: Server, key: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stepback]:
    monkeypatch.setenv("STEPBACK_URL", live.url)
    monkeypatch.setenv("STEPBACK_API_KEY", key)
    with Stepback() as made:
        yield made


def begun(*threads: str) -> None:
    async def story() -> None:
        app = seat_graph.graph()
        async with app.checkpointer:
            for one in threads:
                config: Any = {"configurable": {"thread_id": one}}
                await app.ainvoke({"said": []}, config)

    asyncio.run(story())


def said(sb: Stepback, thread: str) -> Any:
    (session,) = sb.sessions.list(external_id=thread).data
    return session.state["said"]


def test_what_was_decided_goes_on_and_nothing_twice(
    live: Server, sb: Stepback, capsys: pytest.CaptureFixture[str]
) -> None:
    begun("seat-1", "seat-2", "seat-3", "seat-4")
    waiting = sb.approvals.list(status="pending", agent_id=seat_graph.AGENT).data
    names = {one.id: sb.sessions.get(one.session_id).external_id for one in waiting}
    by_thread = {name: id for id, name in names.items()}
    olga = Person(live, PROJECT, "olga-who-goes-on")
    olga.approves(by_thread["seat-1"])
    olga.rejects(by_thread["seat-2"])
    olga.approves(by_thread["seat-3"], "break")
    olga.close()

    assert main(["--json", "continue", "--graph", PLACE]) == 1
    printed = capsys.readouterr()
    told = [json.loads(line) for line in printed.out.splitlines()]
    assert {one["thread_id"]: one["failed"] for one in told} == {
        "seat-1": False,
        "seat-2": False,
        "seat-3": True,
    }
    assert printed.err.endswith("stepback: 1 threads could not go on.\n")
    assert said(sb, "seat-1") == [True, "noted"]
    assert said(sb, "seat-2") == [False, "noted"]
    assert sb.approvals.get(by_thread["seat-4"]).is_pending

    # What has gone on stays, what broke is tried again.
    assert main(["continue", "--graph", PLACE]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("seat-3 could not go on: RuntimeError: it ")
    assert "\x1b" not in line
    assert said(sb, "seat-1") == [True, "noted"]


def test_a_fork_goes_on_by_itself(
    live: Server, sb: Stepback, capsys: pytest.CaptureFixture[str]
) -> None:
    begun("seat-forked")
    (origin,) = sb.sessions.list(external_id="seat-forked").data
    fork = sb.sessions.fork(origin.id)

    async def asks() -> None:
        app = seat_graph.graph()
        async with app.checkpointer:
            await app.ainvoke(None, {"configurable": {"thread_id": fork.id}})

    asyncio.run(asks())
    waiting = sb.approvals.list(status="pending", agent_id=seat_graph.AGENT).data
    (asked,) = [one.id for one in waiting if one.session_id == fork.id]
    olga = Person(live, PROJECT, "olga-of-the-fork")
    olga.approves(asked)
    olga.close()

    main(["--json", "continue", "--graph", PLACE])

    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert fork.id in [one["thread_id"] for one in told if not one["failed"]]
    assert sb.sessions.get(fork.id).state["said"] == [True, "noted"]
    assert sb.sessions.get(origin.id).state["said"] == []


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("seat_graph", "takes module:name"),
        ("tests.python_client.nowhere:graph", "There is no graph at"),
        ("tests.python_client.seat_graph:nothing", "There is no graph at"),
        ("tests.python_client.trip_graph:builder", "has no StepbackSaver"),
    ],
)
def test_what_is_no_graph_of_ours_is_refused(
    sb: Stepback, capsys: pytest.CaptureFixture[str], place: str, why: str
) -> None:
    assert main(["continue", "--graph", place]) == 1
    assert why in capsys.readouterr().err
