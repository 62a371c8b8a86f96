"""A compiled LangGraph graph replayed: a run that was kept, with the network cut."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import interrupt

from stepback import Stepback
from stepback.bundles import Bundle, Replayed, make_bundle, read_bundle, replay
from stepback.langgraph import StepbackSaver, resume
from tests.live import Server
from tests.python_client.bundles import booking
from tests.python_client.bundles.made import write
from tests.python_client.people import Person

INBOX = {
    "action_request": {"action": "issue_refund", "args": {"amount": 2490}},
    "config": {"allow_edit": True, "allow_accept": True, "allow_ignore": True},
}
SOURCE = Path(__file__).parents[3] / "clients" / "python" / "src"


@pytest.fixture
def saver(live: Server, secret: str) -> Iterator[StepbackSaver]:
    with StepbackSaver(live.url, secret, agent_id="booking") as made:
        yield made


def config(thread: str) -> Any:
    return {"configurable": {"thread_id": thread}}


def taken(live: Server, secret: str, thread: str, path: Path, **given: Any) -> Bundle:
    """Take a thread along as a file."""
    with Stepback(secret, live.url) as client:
        (session,) = client.sessions.list(external_id=thread).data
        path.write_bytes(make_bundle(client.sessions.bundle(session.id, **given)))
    return read_bundle(path)


@pytest.fixture
def recorded(live: Server, secret: str, saver: StepbackSaver, tmp_path: Path) -> Bundle:
    """Two questions of a customer, the second about another flight."""

    async def ask() -> None:
        app = booking.builder().compile(checkpointer=saver)
        for to, more in (
            ("Oslo", {"flight": "SK 1", "steps": 0}),
            ("Rome", {"flight": "AZ"}),
        ):
            asked = {"messages": [{"role": "user", "content": to}], **more}
            await app.ainvoke(asked, config("booking-1"))
        await saver.aclose()

    asyncio.run(ask())
    return taken(live, secret, "booking-1", tmp_path / "run.bundle")


def compared(found: Replayed) -> tuple[Any, ...] | None:
    one = found.difference
    return one and (one.kind, one.pointer, one.recorded, one.now)


def test_a_graph_does_as_was_recorded_without_model_tool_and_network(
    recorded: Bundle,
) -> None:
    booking.ASKED.update(model=0, tool=0)

    found = replay(recorded, booking.graph, ["state.flight=AZ"])

    assert (found.raised, compared(found), found.tried) == (None, None, ())
    assert found.passed
    assert booking.ASKED == {"model": 0, "tool": 0}
    assert found.state == recorded.record.states[-1].state
    assert found.state["steps"] == 6


def test_what_answers_is_put_back_as_it_was(recorded: Bundle) -> None:
    kept = vars(BaseTool)["invoke"]

    replay(recorded, booking.changed)

    assert vars(BaseTool)["invoke"] is kept
    assert booking.find.invoke({"to": "Bonn", "day": 1, "flight": "LH"})["to"] == "Bonn"


def test_a_changed_argument_is_the_first_difference(recorded: Bundle) -> None:
    found = replay(recorded, booking.changed)

    assert found.difference is not None
    assert (found.difference.kind, found.difference.step) == ("state", 2)
    assert not found.passed


def test_a_changed_channel_is_the_first_difference(recorded: Bundle) -> None:
    found = replay(recorded, booking.forgetful)

    assert compared(found) == ("state", "/steps", 1, 2)
    assert found.raised is None


def test_a_node_may_ask_the_replay_itself(recorded: Bundle) -> None:
    found = replay(recorded, booking.handmade)

    assert (found.raised, compared(found)) == (None, None)


def test_a_node_that_wants_the_network_is_told_with_its_line(recorded: Bundle) -> None:
    found = replay(recorded, booking.homesick)

    (tried,) = found.tried
    assert tried.address == "127.0.0.1:9"
    assert "booking.py" in tried.at
    assert "NoNetwork" in str(found.raised)


@pytest.mark.parametrize(
    ("name", "status", "told"),
    [
        ("graph", 0, "It did as was recorded."),
        ("made", 0, "It did as was recorded."),
        ("forgetful", 1, "First difference in state, step 2 /steps"),
    ],
)
def test_the_command_takes_a_graph_and_a_function_that_makes_one(
    recorded: Bundle, tmp_path: Path, name: str, status: int, told: str
) -> None:
    command = [sys.executable, "-m", "stepback.cli", "replay"]
    done = subprocess.run(
        [*command, str(tmp_path / "run.bundle"), "--agent", f"booking:{name}"],
        cwd=Path(booking.__file__).parent,
        env={"PYTHONPATH": str(SOURCE), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert (done.returncode, bool(done.stderr)) == (status, status > 0), done.stderr
    assert told in done.stdout


def test_masked_values_are_compared_as_masked(
    live: Server, secret: str, recorded: Bundle, tmp_path: Path
) -> None:
    masked = taken(
        live, secret, "booking-1", tmp_path / "masked.bundle", masks=["/flight"]
    )

    found = replay(masked, booking.graph)

    assert (found.raised, compared(found)) == (None, None)
    assert found.state["flight"] == "[masked]"


class Answer(TypedDict):
    said: Any


def asking(*questions: Any) -> Any:
    """A graph that asks one thing after the other, and keeps the last answer."""
    builder = StateGraph(Answer)
    before = START
    for number, question in enumerate(questions):
        name = f"ask{number}"
        builder.add_node(name, answering(question))
        builder.add_edge(before, name)
        before = name
    return builder


def answering(question: Any) -> Any:
    return lambda state: {"said": interrupt(question)}


@pytest.fixture
def people(live: Server, secret: str) -> Iterator[StepbackSaver]:
    with StepbackSaver(live.url, secret, agent_id="booking", approvals=True) as made:
        yield made


@pytest.fixture(scope="module")
def olga(live: Server, secret: str) -> Iterator[Person]:
    person = Person(live, "stepback-client", "olga-of-the-replays")
    yield person
    person.close()


def asked_of(live: Server, secret: str, thread: str) -> list[str]:
    """Return the approvals of a thread, the oldest first."""
    with Stepback(secret, live.url) as client:
        (session,) = client.sessions.list(external_id=thread).data
        found = client.approvals.list(agent_id="booking", limit=100).data
        return [one.id for one in found if one.session_id == session.id][::-1]


def test_interrupts_are_answered_with_what_people_decided(
    live: Server, secret: str, people: StepbackSaver, olga: Person, tmp_path: Path
) -> None:
    questions = INBOX, {"question": "Book it?"}, {"question": "Book it?"}
    app, thread = asking(*questions).compile(checkpointer=people), "answered-1"
    app.invoke({"said": ""}, config(thread))
    (refund,) = asked_of(live, secret, thread)
    olga.edits(refund, {"amount": 249})
    app.invoke(resume(app, thread), config(thread))
    olga.rejects(asked_of(live, secret, thread)[1], "Too dear.")
    app.invoke(resume(app, thread), config(thread))
    bundle = taken(live, secret, thread, tmp_path / "run.bundle")

    waits = replay(bundle, asking(*questions).compile())
    other = replay(bundle, asking(*questions[1:]).compile())
    unknown = replay(bundle, asking({"question": "Cancel it?"}).compile())

    assert (waits.raised, compared(waits)) == (None, None)
    assert waits.passed
    assert waits.state["said"] == {
        "approved": False,
        "comment": "Too dear.",
        "arguments": None,
    }
    assert compared(other) is not None
    assert "Cancel it?" in str(unknown.raised)

    olga.approves(asked_of(live, secret, thread)[2])
    app.invoke(resume(app, thread), config(thread))
    whole = replay(
        taken(live, secret, thread, tmp_path / "whole.bundle"),
        asking(*questions).compile(),
    )
    assert (whole.raised, compared(whole)) == (None, None)
    assert whole.state["said"]["approved"] is True


def test_what_was_decided_and_not_gone_on_with_waits(
    live: Server, secret: str, people: StepbackSaver, olga: Person, tmp_path: Path
) -> None:
    app, thread = asking("Book it?").compile(checkpointer=people), "decided-1"
    app.invoke({"said": ""}, config(thread))
    olga.approves(asked_of(live, secret, thread)[0])

    found = replay(
        taken(live, secret, thread, tmp_path / "run.bundle"),
        asking("Book it?").compile(),
    )

    assert (found.raised, compared(found)) == (None, None)
    assert found.passed


class Told(TypedDict):
    messages: Annotated[list[Any], add_messages]


def refunding() -> Any:
    """A graph whose model asks for a call that people are asked about."""
    call = {"name": "issue_refund", "args": {"amount": 2490}, "id": "c1"}
    builder = StateGraph(Told)
    builder.add_node(
        "model", lambda state: {"messages": [AIMessage("", id="m1", tool_calls=[call])]}
    )
    builder.add_node("act", refund)
    builder.add_edge(START, "model")
    builder.add_edge("model", "act")
    return builder


def refund(state: Told) -> Any:
    said = interrupt(INBOX)
    return {"messages": [ToolMessage(said["type"], id="m2", tool_call_id="c1")]}


def test_a_call_that_waits_for_people_is_no_difference(
    live: Server, secret: str, people: StepbackSaver, olga: Person, tmp_path: Path
) -> None:
    app, thread = refunding().compile(checkpointer=people), "called-1"
    app.invoke({"messages": [HumanMessage("Money!", id="m0")]}, config(thread))
    path = tmp_path / "run.bundle"

    waits = replay(taken(live, secret, thread, path), refunding().compile())
    olga.approves(asked_of(live, secret, thread)[0])
    decided = replay(taken(live, secret, thread, path), refunding().compile())

    assert [(one.raised, compared(one)) for one in (waits, decided)] == [
        (None, None),
        (None, None),
    ]


def test_what_a_rollback_made_void_answers_nothing(
    live: Server, secret: str, people: StepbackSaver, olga: Person, tmp_path: Path
) -> None:
    app, thread = asking("Book it?").compile(checkpointer=people), "void-1"
    app.invoke({"said": ""}, config(thread))
    olga.approves(asked_of(live, secret, thread)[0])
    app.invoke(resume(app, thread), config(thread))
    with Stepback(secret, live.url) as client:
        (session,) = client.sessions.list(external_id=thread).data
        client.sessions.rollback(session.id, version=1)

    found = replay(
        taken(live, secret, thread, tmp_path / "run.bundle"),
        asking("Book it?").compile(),
    )

    assert "Book it?" in str(found.raised)


def test_masked_questions_are_answered_as_masked(
    live: Server, secret: str, people: StepbackSaver, olga: Person, tmp_path: Path
) -> None:
    app, thread = asking(INBOX).compile(checkpointer=people), "masked-1"
    app.invoke({"said": ""}, config(thread))
    olga.edits(asked_of(live, secret, thread)[0], {"amount": 24917})
    app.invoke(resume(app, thread), config(thread))

    path = tmp_path / "run.bundle"
    bundle = taken(live, secret, thread, path, masks=["/amount"])
    with Stepback(secret, live.url) as client:
        (session,) = client.sessions.list(external_id=thread).data
        told = client.sessions.bundle(session.id, masks=["/amount"])

    assert b"24917" not in told
    assert b"2490" not in told
    assert b"[masked]" in told
    (decided,) = bundle.record.decisions
    assert decided.arguments == {"amount": "[masked]"}


def test_a_graph_that_asks_people_ends_where_it_asks(
    live: Server, secret: str, saver: StepbackSaver, tmp_path: Path
) -> None:
    builder = asking("Really?")
    builder.compile(checkpointer=saver).invoke({"said": ""}, config("asked-1"))
    bundle = taken(live, secret, "asked-1", tmp_path / "run.bundle")

    found = replay(bundle, builder.compile())

    assert "GraphAsked" in str(found.raised)
    assert "Really?" in str(found.raised)
    assert not found.passed


def test_a_run_that_no_saver_kept_has_no_input_for_a_graph(tmp_path: Path) -> None:
    bundle = read_bundle(write(tmp_path / "run.bundle"))

    found = replay(bundle, booking.graph)

    assert "has no input of a graph" in str(found.raised)
