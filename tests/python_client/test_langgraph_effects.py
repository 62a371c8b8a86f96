"""Tools of a real graph as effects: whatever runs again, they were called once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from datetime import date
from operator import add
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph, add_messages
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, RetryPolicy, interrupt

from stepback import Stepback, errors
from stepback.langgraph import ResultNotKept, StepbackSaver, effect, resume
from tests.live import Server
from tests.python_client.people import Person

PROJECT = "stepback-client"
AGENT = "acting"


class Said(TypedDict):
    said: Annotated[list[Any], add]


class Messages(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


class Mailbox:
    """A tool that counts: what it is called with is kept."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def send(self, to: str, text: str = "Hello") -> Any:
        self.sent.append((to, text))
        return {"id": f"mail-{len(self.sent)}"}


@pytest.fixture
def mailbox() -> Mailbox:
    return Mailbox()


@pytest.fixture(scope="module")
def olga(live: Server, secret: str) -> Iterator[Person]:
    person = Person(live, PROJECT, "olga-who-allows")
    yield person
    person.close()


@pytest.fixture
def saver(live: Server, secret: str) -> Iterator[StepbackSaver]:
    with StepbackSaver(live.url, secret, agent_id=AGENT, approvals=True) as made:
        yield made


@pytest.fixture
def sb(live: Server, secret: str) -> Iterator[Stepback]:
    with Stepback(secret, live.url) as made:
        yield made


@pytest.fixture(scope="module")
def ruled(live: Server, secret: str) -> None:
    """People allow what the agent's tool `wire` does, for thirty days."""
    admin = live.key(PROJECT, "--scope", "admin")
    with Stepback(secret, live.url) as made, Stepback(admin, live.url) as ruling:
        made.sessions.create(AGENT)
        ruling.approvals.create_rule(AGENT, tool="wire", expires_in=30 * 86_400)


def one_node(saver: Any, act: Callable[[Said], Any], **options: Any) -> Any:
    made = StateGraph(Said)
    made.add_node("act", act, **options)
    made.add_edge(START, "act")
    return made.compile(checkpointer=saver)


def config(thread: str) -> Any:
    return {"configurable": {"thread_id": thread}}


def effects(sb: Stepback, thread: str) -> list[Any]:
    (session,) = sb.sessions.list(external_id=thread).data
    return list(sb.sessions.effects(session.id, limit=100).data)[::-1]


def asked(sb: Stepback, thread: str) -> list[Any]:
    (session,) = sb.sessions.list(external_id=thread).data
    found = sb.approvals.list(agent_id=AGENT, limit=100).data
    return [one for one in found if one.session_id == session.id][::-1]


def test_a_node_that_runs_again_calls_its_tool_once(
    saver: StepbackSaver, sb: Stepback, mailbox: Mailbox
) -> None:
    send = effect("irreversible", tool="send_mail")(mailbox.send)

    def act(state: Said) -> Any:
        first = send("ann")
        second = send("ben", text="Bye")
        third = send("ann")
        return {"said": [first, second, third, interrupt("Go on?")]}

    app = one_node(saver, act)
    app.invoke({"said": []}, config("act-once"))
    done = app.invoke(Command(resume=True), config("act-once"))

    assert mailbox.sent == [("ann", "Hello"), ("ben", "Bye"), ("ann", "Hello")]
    assert [one["id"] for one in done["said"][:3]] == ["mail-1", "mail-2", "mail-3"]
    found = effects(sb, "act-once")
    assert [(one.tool, one.effect_class, one.status) for one in found] == [
        ("send_mail", "irreversible", "done")
    ] * 3
    assert found[0].arguments == {"to": "ann", "text": "Hello"}
    assert {len(one.key.split(":")) for one in found} == {4}
    assert found[0].key.startswith("act-once:")


def test_another_process_knows_what_was_called(
    live: Server, secret: str, saver: StepbackSaver, mailbox: Mailbox
) -> None:
    send = effect("irreversible")(mailbox.send)
    app = one_node(saver, lambda state: {"said": [send("ann"), interrupt("On?")]})
    app.invoke({"said": []}, config("act-elsewhere"))

    with StepbackSaver(live.url, secret, agent_id=AGENT) as other:
        again = one_node(other, lambda state: {"said": [send("ann"), interrupt("On?")]})
        done = again.invoke(Command(resume=True), config("act-elsewhere"))

    assert len(mailbox.sent) == 1
    assert done["said"] == [{"id": "mail-1"}, True]


def test_equal_calls_side_by_side_are_one_each_in_whichever_order(
    saver: StepbackSaver, mailbox: Mailbox
) -> None:
    send = effect("irreversible")(mailbox.send)

    def act(state: Said) -> Any:
        with ThreadPoolExecutor(4) as threads:
            calls = [
                threads.submit(copy_context().run, send, to)
                for to in ("ann", "ben", "ann", "cem")
            ]
            for one in calls:
                one.result()
        return {"said": [interrupt("On?")]}

    app = one_node(saver, act)
    app.invoke({"said": []}, config("act-beside"))
    app.invoke(Command(resume=True), config("act-beside"))

    assert sorted(to for to, _ in mailbox.sent) == ["ann", "ann", "ben", "cem"]


def test_a_tool_that_fails_for_certain_is_tried_again_and_another_is_not(
    saver: StepbackSaver, sb: Stepback
) -> None:
    tries: list[str] = []

    @effect("irreversible", failed_on=ConnectionRefusedError)
    def book(seat: str) -> str:
        tries.append(seat)
        if len(tries) == 1:
            raise ConnectionRefusedError("nobody there")
        if seat == "1B":
            raise TimeoutError("no answer")
        return seat

    policy = RetryPolicy(
        initial_interval=0.01, max_attempts=2, retry_on=ConnectionRefusedError
    )
    app = one_node(saver, lambda state: {"said": [book("1A")]}, retry_policy=policy)
    assert app.invoke({"said": []}, config("act-failed"))["said"] == ["1A"]
    assert [one.attempt for one in effects(sb, "act-failed")] == [2]

    app = one_node(saver, lambda state: {"said": [book("1B")]})
    with pytest.raises(TimeoutError):
        app.invoke({"said": []}, config("act-unknown"))
    with pytest.raises(errors.EffectUnknown):
        app.invoke(None, config("act-unknown"))
    assert tries == ["1A", "1A", "1B"]
    assert [one.status for one in effects(sb, "act-unknown")] == ["unknown"]


def test_what_needs_an_approval_interrupts_and_asks_nothing_twice(
    saver: StepbackSaver, sb: Stepback, olga: Person, mailbox: Mailbox, ruled: None
) -> None:
    wire = effect("irreversible", tool="wire")(mailbox.send)
    sure: list[Any] = []

    def act(state: Said) -> Any:
        first, second = wire("ann"), wire("ben")
        sure.append(interrupt("Are you sure?"))
        return {"said": [first, second]}

    app = one_node(saver, act)
    (waits,) = app.invoke({"said": []}, config("act-allowed"))["__interrupt__"]
    app.invoke(None, config("act-allowed"))
    (first,) = asked(sb, "act-allowed")
    assert waits.value == {
        "stepback_approval": first.id,
        "tool": "wire",
        "arguments": {"to": "ann", "text": "Hello"},
    }
    assert (first.tool, mailbox.sent) == ("wire", [])

    olga.approves(first.id)
    app.invoke(resume(app, "act-allowed"), config("act-allowed"))
    assert mailbox.sent == [("ann", "Hello")]
    first, second = asked(sb, "act-allowed")

    # People allow less than was asked; no question of the node takes their answer.
    olga.edits(second.id, {"to": "ben", "text": "Less"})
    app.invoke(resume(app, "act-allowed"), config("act-allowed"))
    assert mailbox.sent == [("ann", "Hello"), ("ben", "Less")]
    assert sure == []
    (question,) = asked(sb, "act-allowed")[2:]
    assert question.arguments == {"value": "Are you sure?"}

    olga.approves(question.id)
    done = app.invoke(resume(app, "act-allowed"), config("act-allowed"))
    assert done["said"] == [{"id": "mail-1"}, {"id": "mail-2"}]
    assert sure == [
        {"approved": True, "comment": None, "arguments": question.arguments}
    ]
    assert len(asked(sb, "act-allowed")) == 3
    assert len(mailbox.sent) == 2


def test_what_people_refuse_is_not_called_and_the_node_hears_it(
    saver: StepbackSaver, sb: Stepback, olga: Person, mailbox: Mailbox, ruled: None
) -> None:
    wire = effect("irreversible", tool="wire")(mailbox.send)

    def act(state: Said) -> Any:
        try:
            return {"said": [wire("ann")]}
        except errors.ApprovalClosed as refused:
            return {"said": [refused.details["outcome"]]}

    app = one_node(saver, act)
    app.invoke({"said": []}, config("act-refused"))
    olga.rejects(asked(sb, "act-refused")[0].id)
    done = app.invoke(resume(app, "act-refused"), config("act-refused"))

    assert (done["said"], mailbox.sent) == (["rejected"], [])


def test_tools_of_a_model_are_effects_as_well(
    saver: StepbackSaver, sb: Stepback, olga: Person, mailbox: Mailbox, ruled: None
) -> None:
    @tool
    @effect("irreversible")
    def wire(to: str) -> str:
        """Pay somebody."""
        return str(mailbox.send(to)["id"])

    made = StateGraph(Messages)
    made.add_node("tools", ToolNode([wire]))
    made.add_edge(START, "tools")
    app = made.compile(checkpointer=saver)
    calls: Any = [
        {"name": "wire", "args": {"to": to}, "id": f"call-{to}"}
        for to in ("ann", "ben")
    ]
    app.invoke({"messages": [AIMessage("", tool_calls=calls)]}, config("act-tools"))
    ids = {one.arguments["to"]: one.id for one in asked(sb, "act-tools")}
    olga.approves(ids["ann"])
    if "ben" not in ids:
        app.invoke(resume(app, "act-tools"), config("act-tools"))
        ids = {one.arguments["to"]: one.id for one in asked(sb, "act-tools")}
    olga.approves(ids["ben"])
    done = app.invoke(resume(app, "act-tools"), config("act-tools"))

    assert sorted(to for to, _ in mailbox.sent) == ["ann", "ben"]
    assert len(done["messages"]) == 3
    assert {one.content for one in done["messages"][1:]} == {"mail-1", "mail-2"}


def test_a_sub_graphs_effects_are_of_its_thread(
    saver: StepbackSaver, sb: Stepback, mailbox: Mailbox
) -> None:
    send = effect("irreversible")(mailbox.send)
    inner = StateGraph(Said)
    inner.add_node("act", lambda state: {"said": [send("ann")]})
    inner.add_node("ask", lambda state: {"said": [interrupt("On?")]})
    inner.add_edge(START, "act")
    inner.add_edge("act", "ask")
    made = StateGraph(Said)
    made.add_node("inner", inner.compile())
    made.add_edge(START, "inner")
    app = made.compile(checkpointer=saver)

    app.invoke({"said": []}, config("act-within"))
    app.invoke(Command(resume=True), config("act-within"))

    assert len(mailbox.sent) == 1
    assert [one.status for one in effects(sb, "act-within")] == ["done"]


def test_a_run_that_missed_a_rollback_does_nothing_any_more(
    saver: StepbackSaver, sb: Stepback, mailbox: Mailbox
) -> None:
    send = effect("irreversible")(mailbox.send)

    def act(state: Said) -> Any:
        # What this task runs on is stored beside it.
        while not (found := sb.sessions.list(external_id="act-stale").data):
            pass
        while sb.sessions.get_state(found[0].id).version < 2:
            pass
        sb.sessions.rollback(found[0].id, 1, "Not this way.")
        return {"said": [send("ann")]}

    app = one_node(saver, act)
    with pytest.raises(errors.VersionSetAside):
        app.invoke({"said": []}, config("act-stale"))

    assert mailbox.sent == []


def test_whatever_a_tool_returns_comes_back_as_it_was(
    saver: StepbackSaver, sb: Stepback
) -> None:
    values = [
        None,
        {"a": [1, 2.5, "é", True, None]},
        date(2026, 1, 2),
        AIMessage("Hi", id="ai-1"),
        {"a", "set"},
        {1: "a key"},
        {"$langgraph": ["not", "ours"]},
        2**70,
    ]
    made: list[int] = []

    @effect("read")
    def look(at: int) -> Any:
        made.append(at)
        return values[at]

    seen: list[Any] = []

    def act(state: Said) -> Any:
        seen.append([look(at) for at in range(len(values))])
        return {"said": [interrupt("On?")]}

    app = one_node(saver, act)
    app.invoke({"said": []}, config("act-values"))
    app.invoke(Command(resume=True), config("act-values"))

    assert seen == [values, values]
    assert [type(one) for one in seen[1]] == [type(one) for one in values]
    assert made == list(range(len(values)))
    assert effects(sb, "act-values")[2].result["shown"] == "2026-01-02"


@pytest.mark.parametrize("value", ["x" * 300_000, object, threading.Lock()])
def test_what_was_done_is_not_done_again_for_a_result_that_was_not_kept(
    saver: StepbackSaver, sb: Stepback, value: Any
) -> None:
    made: list[str] = []
    thread = f"act-not-kept-{type(value).__name__}"

    @effect("irreversible")
    def export() -> Any:
        made.append("x")
        return value

    def act(state: Said) -> Any:
        assert export() is value
        return {"said": [interrupt("On?")]}

    app = one_node(saver, act)
    app.invoke({"said": []}, config(thread))
    with pytest.raises(ResultNotKept):
        app.invoke(Command(resume=True), config(thread))

    assert made == ["x"]
    (found,) = effects(sb, thread)
    assert (found.status, len(found.result_digest)) == ("done", 64)


def test_what_a_saver_keeps_unread_is_not_shown_either(
    live: Server, secret: str, sb: Stepback
) -> None:
    look = effect("read", tool="look")(lambda: "between us")
    with StepbackSaver(live.url, secret, agent_id=AGENT, readable=False) as saver:
        app = one_node(saver, lambda state: {"said": [look()]})
        app.invoke({"said": []}, config("act-hidden"))

    (found,) = effects(sb, "act-hidden")
    assert set(found.result) == {"$langgraph"}


def test_what_is_said_of_a_tool_goes_with_its_calls(
    saver: StepbackSaver, sb: Stepback
) -> None:
    given: list[Any] = []

    @effect(
        "compensable",
        undo=lambda seat: {"tool": "free_seat", "arguments": {"seat": seat}},
        leave_out=["state"],
        provider_key="key",
    )
    def book(seat: str, state: Any, key: str | None = None) -> str:
        given.append((seat, state, key))
        return seat

    app = one_node(saver, lambda state: {"said": [book("12A", {"open": object})]})
    app.invoke({"said": []}, config("act-about"))

    (found,) = effects(sb, "act-about")
    assert (found.arguments, found.takes_provider_key) == ({"seat": "12A"}, True)
    assert found.undo == {"tool": "free_seat", "arguments": {"seat": "12A"}}
    assert given == [("12A", {"open": object}, found.provider_key)]


def test_asynchronous_tools_are_the_same(
    live: Server, secret: str, sb: Stepback, olga: Person, mailbox: Mailbox, ruled: None
) -> None:
    @effect("irreversible", failed_on=LookupError)
    async def wire(to: str) -> Any:
        if to == "nobody":
            raise LookupError(to)
        return mailbox.send(to)

    async def act(state: Said) -> Any:
        return {"said": [await wire("ann")]}

    async def fail(state: Said) -> Any:
        return {"said": [await wire("nobody")]}

    async def story() -> Any:
        async with StepbackSaver(live.url, secret, agent_id=AGENT) as saver:
            app = one_node(saver, act)
            await app.ainvoke({"said": []}, config("act-async"))
            olga.approves(asked(sb, "act-async")[0].id)
            command = resume(app, "act-async")
            await app.ainvoke(command, config("act-async"))
            again = await app.ainvoke(None, config("act-async"))
            app = one_node(saver, fail)
            await app.ainvoke({"said": []}, config("act-async-2"))
            olga.approves(asked(sb, "act-async-2")[0].id)
            with pytest.raises(LookupError):
                await app.ainvoke(resume(app, "act-async-2"), config("act-async-2"))
            return again["said"]

    assert asyncio.run(story()) == [{"id": "mail-1"}]
    assert [one.status for one in effects(sb, "act-async-2")] == ["failed"]


def test_where_it_could_happen_twice_nothing_happens(
    saver: StepbackSaver, mailbox: Mailbox
) -> None:
    send = effect("irreversible")(mailbox.send)

    def act(state: Said) -> Any:
        return {"said": [send("ann")]}

    with pytest.raises(RuntimeError, match="StepbackSaver keeps"):
        one_node(InMemorySaver(), act).invoke({"said": []}, config("act-not"))
    with pytest.raises(RuntimeError, match="durability"):
        one_node(saver, act).invoke(
            {"said": []}, config("act-at-exit"), durability="exit"
        )
    with pytest.raises(RuntimeError):
        send("ann")
    app = one_node(saver, lambda state: {"said": [send(object())]})
    with pytest.raises(TypeError):
        app.invoke({"said": []}, config("act-no-json"))

    assert mailbox.sent == []


def test_what_cannot_be_an_effect_is_refused_where_it_is_made() -> None:
    with pytest.raises(ValueError, match="no class"):
        effect("harmless")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="by name"):
        effect("read")(lambda *these: these)
    with pytest.raises(TypeError, match="no parameter state"):
        effect("read", leave_out=["state"])(lambda at: at)
