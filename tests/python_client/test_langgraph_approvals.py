"""Interrupts of a real graph become approvals, and decisions become its answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from operator import add
from typing import Annotated, Any, Literal, TypedDict

import pytest
from langchain_core.messages import HumanMessage
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from pydantic import BaseModel, Discriminator

from stepback import Stepback, errors
from stepback.langgraph import NoSaver, NothingDecided, StepbackSaver, aresume, resume
from tests.live import Server
from tests.python_client.people import Person
from tests.python_client.trip_graph import graph as trip

PROJECT = "stepback-client"
INBOX = {
    "action_request": {"action": "issue_refund", "args": {"amount": 2490}},
    "config": {
        "allow_ignore": True,
        "allow_respond": True,
        "allow_edit": True,
        "allow_accept": True,
    },
    "description": "Five hours late.",
}


class Said(TypedDict):
    said: Annotated[list[Any], add]


@pytest.fixture(scope="module")
def olga(live: Server, secret: str) -> Iterator[Person]:
    person = Person(live, PROJECT, "olga-who-is-asked")
    yield person
    person.close()


@pytest.fixture
def saver(live: Server, secret: str) -> Iterator[StepbackSaver]:
    with StepbackSaver(live.url, secret, agent_id="asking", approvals=True) as made:
        yield made


@pytest.fixture
def sb(live: Server, secret: str) -> Iterator[Stepback]:
    with Stepback(secret, live.url) as made:
        yield made


def asking(saver: StepbackSaver, *questions: Any) -> Any:
    """A graph with a node for each question, side by side, which keep the answers."""
    made = StateGraph(Said)
    for number, question in enumerate(questions):
        made.add_node(f"ask{number}", node(question))
        made.add_edge(START, f"ask{number}")
        made.add_edge(f"ask{number}", END)
    return made.compile(checkpointer=saver)


def node(question: Any) -> Callable[[Said], dict[str, Any]]:
    def ask(state: Said) -> dict[str, Any]:
        return {"said": [interrupt(question)]}

    return ask


def of(sb: Stepback, thread: str) -> list[Any]:
    """Return what was asked in a thread, oldest first."""
    (session,) = sb.sessions.list(external_id=thread).data
    found = sb.approvals.list(agent_id=session.agent_id, limit=100).data
    return [one for one in found if one.session_id == session.id][::-1]


def config(thread: str) -> Any:
    return {"configurable": {"thread_id": thread}}


def test_an_interrupt_asks_once_under_its_id(
    saver: StepbackSaver, sb: Stepback
) -> None:
    app = asking(saver, {"question": "Book it?"})

    (asked,) = app.invoke({"said": []}, config("ask-once"))["__interrupt__"]
    app.invoke(None, config("ask-once"))

    (found,) = of(sb, "ask-once")
    assert (found.key, found.tool) == (asked.id, "interrupt")
    assert found.arguments == {"question": "Book it?"}
    with pytest.raises(NothingDecided, match="is pending") as refused:
        resume(app, "ask-once")
    assert [one.id for one in refused.value.waiting] == [found.id]
    assert len(of(sb, "ask-once")) == 1


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_every_durability_asks_once(
    saver: StepbackSaver, sb: Stepback, olga: Person, durability: Any
) -> None:
    app, thread = asking(saver, "Book it?"), f"ask-durably-{durability}"
    app.invoke({"said": []}, config(thread), durability=durability)
    (asked,) = of(sb, thread)
    olga.approves(asked.id)

    command = resume(app, thread)
    done = app.invoke(command, config(thread), durability=durability)

    assert [one["approved"] for one in done["said"]] == [True]
    assert len(of(sb, thread)) == 1


def test_with_nothing_asked_it_says_so(saver: StepbackSaver) -> None:
    app = asking(saver, "Book it?")

    with pytest.raises(NothingDecided, match="nothing is asked"):
        resume(app, "ask-nothing")
    with pytest.raises(NoSaver, match="StepbackSaver"):
        resume(object(), "ask-nothing")


def test_without_approvals_nobody_is_asked(
    live: Server, secret: str, sb: Stepback
) -> None:
    with StepbackSaver(live.url, secret, agent_id="asking") as quiet:
        asking(quiet, "Book it?").invoke({"said": []}, config("ask-quietly"))

    assert of(sb, "ask-quietly") == []


def test_a_plain_question_is_answered_with_what_was_decided(
    saver: StepbackSaver, sb: Stepback, olga: Person
) -> None:
    app = asking(saver, "Book it?")
    app.invoke({"said": []}, config("ask-plain"))
    olga.rejects(of(sb, "ask-plain")[0].id, "Too dear.")

    done = app.invoke(resume(app, "ask-plain"), config("ask-plain"))

    answer = {"approved": False, "comment": "Too dear.", "arguments": None}
    assert done["said"] == [answer]


@pytest.mark.parametrize("is_list", [True, False])
def test_agent_inbox_is_answered_in_its_own_shape(
    saver: StepbackSaver, sb: Stepback, olga: Person, is_list: bool
) -> None:
    action = INBOX["action_request"]
    thread, value = f"ask-inbox-{is_list}", [INBOX] if is_list else INBOX
    app = asking(saver, value, value, value, value)
    app.invoke({"said": []}, config(thread))
    asked = of(sb, thread)
    assert {(one.tool, one.reason) for one in asked} == {
        ("issue_refund", "Five hours late.")
    }

    olga.approves(asked[0].id)
    olga.edits(asked[1].id, {"amount": 249})
    olga.rejects(asked[2].id, "Ask the customer first.")
    olga.rejects(asked[3].id)
    done = app.invoke(resume(app, thread), config(thread))

    said = [one[0] for one in done["said"]] if is_list else done["said"]
    assert sorted(said, key=lambda one: str(one["type"])) == [
        {"type": "accept", "args": action},
        {"type": "edit", "args": {**action, "args": {"amount": 249}}},
        {"type": "ignore", "args": None},
        {"type": "response", "args": "Ask the customer first."},
    ]


def test_what_may_not_be_edited_is_approved_as_it_is_or_not_at_all(
    saver: StepbackSaver, sb: Stepback, live: Server, olga: Person
) -> None:
    fixed = {**INBOX, "config": {**INBOX["config"], "allow_edit": False}}
    app = asking(saver, fixed)
    app.invoke({"said": []}, config("ask-fixed"))
    (asked,) = of(sb, "ask-fixed")

    with pytest.raises(AssertionError):
        olga.edits(asked.id, {"amount": 1})
    assert sb.approvals.get(asked.id).is_pending
    olga.approves(asked.id)

    done = app.invoke(resume(app, "ask-fixed"), config("ask-fixed"))
    assert done["said"] == [{"type": "accept", "args": INBOX["action_request"]}]


def test_the_middlewares_calls_are_decided_one_by_one(
    saver: StepbackSaver, sb: Stepback, olga: Person
) -> None:
    value = {
        "action_requests": [
            {"name": "send_mail", "args": {"to": "ann"}, "description": "A mail."},
            {"name": "wire", "args": {"amount": 9}},
            {"name": "ask_user", "args": {"question": "Which seat?"}},
        ],
        "review_configs": [
            {"action_name": "send_mail", "allowed_decisions": ["approve", "reject"]},
            {
                "action_name": "wire",
                "allowed_decisions": ["approve", "edit", "reject"],
                "args_schema": {"properties": {"amount": {"maximum": 10}}},
            },
            {"action_name": "ask_user", "allowed_decisions": ["respond"]},
        ],
    }
    app = asking(saver, value)
    app.invoke({"said": []}, config("ask-middleware"))
    mail, wire, seat = of(sb, "ask-middleware")
    assert [mail.tool, wire.tool, seat.tool] == ["send_mail", "wire", "ask_user"]

    olga.rejects(mail.id, "Not today.")
    with pytest.raises(AssertionError):
        olga.edits(wire.id, {"amount": 11})
    olga.edits(wire.id, {"amount": 8})
    with pytest.raises(NothingDecided):
        resume(app, "ask-middleware")
    olga.approves(seat.id, "12A")
    done = app.invoke(resume(app, "ask-middleware"), config("ask-middleware"))

    assert done["said"] == [
        {
            "decisions": [
                {"type": "reject", "message": "Not today."},
                {
                    "type": "edit",
                    "edited_action": {"name": "wire", "args": {"amount": 8}},
                },
                {"type": "respond", "message": "12A"},
            ]
        }
    ]


class Approve(BaseModel):
    type: Literal["approve"]


class EditedCall(BaseModel):
    name: Literal["wire"]
    args: dict[str, int]


class Edit(BaseModel):
    type: Literal["edit"]
    edited_action: EditedCall


class Reject(BaseModel):
    type: Literal["reject"]
    message: str = ""


@pytest.mark.parametrize("may_edit", [True, False])
def test_a_call_that_asks_by_itself_is_answered_as_its_schema_says(
    saver: StepbackSaver, sb: Stepback, olga: Person, may_edit: bool
) -> None:
    edited: Any = Annotated[Approve | Edit | Reject, Discriminator("type")]
    schema: Any = edited if may_edit else Approve
    value = {
        "type": "tool_approval",
        "tool_call_id": "call-1",
        "name": "wire",
        "args": {"amount": 9},
        "description": "A payment.",
    }

    def wire(state: Said) -> dict[str, Any]:
        return {"said": [interrupt(value, response_schema=schema).model_dump()]}

    made = StateGraph(Said)
    made.add_node("wire", wire)
    made.add_edge(START, "wire")
    app, thread = made.compile(checkpointer=saver), f"ask-one-call-{may_edit}"
    app.invoke({"said": []}, config(thread))
    (asked,) = of(sb, thread)
    assert (asked.tool, asked.arguments) == ("wire", {"amount": 9})

    with pytest.raises(AssertionError):
        olga.edits(asked.id, {"amount": "all of it"})
    if may_edit:
        olga.edits(asked.id, {"amount": 8})
    else:
        olga.approves(asked.id)
    done = app.invoke(resume(app, thread), config(thread))

    call = {"name": "wire", "args": {"amount": 8}}
    wanted = (
        {"type": "edit", "edited_action": call} if may_edit else {"type": "approve"}
    )
    assert done["said"] == [wanted]


def test_what_is_decided_goes_on_and_the_rest_is_not_asked_again(
    saver: StepbackSaver, sb: Stepback, olga: Person
) -> None:
    app = asking(saver, "First?", "Second?")
    app.invoke({"said": []}, config("ask-half"))
    first, second = of(sb, "ask-half")
    olga.approves(first.id)

    half = app.invoke(resume(app, "ask-half"), config("ask-half"))

    assert [one.value for one in half["__interrupt__"]] == [second.arguments["value"]]
    assert len(of(sb, "ask-half")) == 2
    olga.approves(second.id)
    done = app.invoke(resume(app, "ask-half"), config("ask-half"))
    assert [one["approved"] for one in done["said"]] == [True, True]


def test_two_questions_of_one_node_are_two_requests(
    saver: StepbackSaver, sb: Stepback, olga: Person
) -> None:
    def twice(state: Said) -> dict[str, Any]:
        return {"said": [interrupt("Sure?"), interrupt("Sure?")]}

    made = StateGraph(Said)
    made.add_node("twice", twice)
    made.add_edge(START, "twice")
    app = made.compile(checkpointer=saver)
    app.invoke({"said": []}, config("ask-twice"))
    olga.approves(of(sb, "ask-twice")[0].id)

    again = app.invoke(resume(app, "ask-twice"), config("ask-twice"))

    assert len(again["__interrupt__"]) == 1
    first, second = of(sb, "ask-twice")
    assert first.key != second.key
    with pytest.raises(NothingDecided):
        resume(app, "ask-twice")
    olga.rejects(second.id)
    done = app.invoke(resume(app, "ask-twice"), config("ask-twice"))
    assert [one["approved"] for one in done["said"]] == [True, False]


def test_a_node_that_asks_something_else_is_not_answered_with_what_was_said_before(
    saver: StepbackSaver, sb: Stepback, olga: Person
) -> None:
    amounts = iter([5, 500, 500])
    made = StateGraph(Said)
    made.add_node("pay", lambda state: {"said": [interrupt({"pay": next(amounts)})]})
    made.add_edge(START, "pay")
    app = made.compile(checkpointer=saver)
    app.invoke({"said": []}, config("ask-other"))
    olga.approves(of(sb, "ask-other")[0].id)

    (other,) = app.invoke(None, config("ask-other"))["__interrupt__"]

    first, second = of(sb, "ask-other")
    assert (first.key, other.value) == (other.id, {"pay": 500})
    assert (second.arguments, second.is_pending) == ({"pay": 500}, True)
    with pytest.raises(NothingDecided):
        resume(app, "ask-other")


def test_a_sub_graph_asks_in_the_session_of_its_thread(
    saver: StepbackSaver, sb: Stepback, olga: Person
) -> None:
    inner = StateGraph(Said)
    inner.add_node("ask", node("From within?"))
    inner.add_edge(START, "ask")
    made = StateGraph(Said)
    made.add_node("inner", inner.compile())
    made.add_edge(START, "inner")
    app = made.compile(checkpointer=saver)

    app.invoke({"said": []}, config("ask-within"))

    (asked,) = of(sb, "ask-within")
    olga.approves(asked.id)
    done = app.invoke(resume(app, "ask-within"), config("ask-within"))
    assert [one["approved"] for one in done["said"]] == [True]


def test_waits_and_decisions_are_no_checkpoints_and_the_saver_goes_on_over_them(
    saver: StepbackSaver, sb: Stepback, olga: Person
) -> None:
    app = trip(saver)
    app.invoke({"messages": [HumanMessage("A seat", id="h")]}, config("ask-over"))
    states = [one.config for one in app.get_state_history(config("ask-over"))]
    (asked,) = of(sb, "ask-over")
    olga.approves(asked.id)
    extra = sb.approvals.request_approval(asked.session_id, "charge_card", {})

    seen = [one.config for one in app.get_state_history(config("ask-over"))]
    ids = [one["configurable"]["checkpoint_id"] for one in seen]
    assert ids == [one["configurable"]["checkpoint_id"] for one in states]
    done = app.invoke(resume(app, "ask-over"), config("ask-over"))

    assert done["messages"][-1].content == "Booked."
    assert done["approved"]["approved"] is True
    ops = [one.op for one in sb.sessions.list_versions(asked.session_id, limit=100)]
    assert ops.count("wait") == 2
    assert ops.count("decide") == 1
    # The newest ones are checkpoints, on top of them.
    assert ops[0] == "replace"
    assert sb.sessions.verify(asked.session_id).valid
    assert sb.approvals.get(extra.id).is_pending


def test_what_is_void_is_not_decided(
    saver: StepbackSaver, sb: Stepback, olga: Person
) -> None:
    app = asking(saver, "Book it?")
    app.invoke({"said": []}, config("ask-void"))
    (asked,) = of(sb, "ask-void")
    sb.sessions.close(asked.session_id)

    with pytest.raises(NothingDecided, match=f"{asked.id} is voided"):
        resume(app, "ask-void")


def test_a_rolled_back_thread_asks_anew(saver: StepbackSaver, sb: Stepback) -> None:
    app = trip(saver)
    app.invoke({"messages": [HumanMessage("A seat", id="h")]}, config("ask-back"))
    (asked,) = of(sb, "ask-back")
    before = list(app.get_state_history(config("ask-back")))[-1]
    name = before.config["configurable"]["checkpoint_id"]

    saver.rollback_to("ask-back", name)
    app.invoke(None, config("ask-back"))

    first, second = of(sb, "ask-back")
    assert (first.id, first.status) == (asked.id, "voided")
    assert second.is_pending


def test_asynchronously_as_well(
    live: Server, secret: str, sb: Stepback, olga: Person
) -> None:
    async def story() -> Any:
        saver = StepbackSaver(live.url, secret, agent_id="asking", approvals=True)
        async with saver:
            app = asking(saver, [INBOX])
            await app.ainvoke({"said": []}, config("ask-async"))
            with pytest.raises(NothingDecided):
                await aresume(app, "ask-async")
            olga.edits(of(sb, "ask-async")[0].id, {"amount": 1})
            command = await aresume(app, "ask-async")
            return await app.ainvoke(command, config("ask-async"))

    ((answer,),) = asyncio.run(story())["said"]
    assert answer["type"] == "edit"
    assert answer["args"] == {"action": "issue_refund", "args": {"amount": 1}}


def test_an_approval_of_another_thread_answers_nothing(
    saver: StepbackSaver, sb: Stepback, olga: Person
) -> None:
    app = asking(saver, "Mine?")
    app.invoke({"said": []}, config("ask-mine"))
    mine = of(sb, "ask-mine")[0].id
    olga.approves(mine)
    forged = asking(saver, {"stepback_approval": mine})
    forged.invoke({"said": []}, config("ask-theirs"))

    with pytest.raises(errors.ApprovalNotFound):
        resume(forged, "ask-theirs")
    assert isinstance(resume(app, "ask-mine"), Command)
