"""A real run that breaks, is forked, put right there, promoted, and goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from operator import add
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph

from stepback import ApiError, Conflict, Stepback
from stepback.langgraph import ChannelsClash, NothingToPromote, StepbackSaver
from tests.live import Server


class Refund(TypedDict):
    amount: int | None
    note: str
    done: Annotated[list[str], add]


def look_up(state: Refund) -> dict[str, Any]:
    return {"done": ["looked up"]}


def pay(state: Refund) -> dict[str, Any]:
    """Break where the amount was lost."""
    if state["amount"] is None:
        raise ZeroDivisionError("nothing to pay")
    return {"done": [f"paid {state['amount']}"]}


def graph(saver: StepbackSaver) -> Any:
    builder = StateGraph(Refund)
    builder.add_node("look_up", look_up)
    builder.add_node("pay", pay)
    builder.add_edge(START, "look_up")
    builder.add_edge("look_up", "pay")
    builder.add_edge("pay", END)
    return builder.compile(checkpointer=saver)


@pytest.fixture
def saver(live: Server, secret: str) -> Iterator[StepbackSaver]:
    with StepbackSaver(live.url, secret, agent_id="refunds") as made:
        yield made


def config(thread_id: str) -> Any:
    return {"configurable": {"thread_id": thread_id}}


def newest(app: Any, thread_id: str) -> str:
    found: str = app.get_state(config(thread_id)).config["configurable"][
        "checkpoint_id"
    ]
    return found


def broken(app: Any, thread_id: str) -> None:
    """Run until the node breaks that needs what was lost."""
    first = {"amount": None, "note": "", "done": []}
    with pytest.raises(ZeroDivisionError):
        app.invoke(first, config(thread_id))


def forked(app: Any, saver: StepbackSaver, thread_id: str) -> str:
    name = f"{thread_id}-fork"
    saver.fork(thread_id, newest(app, thread_id), name)
    return name


def test_what_was_put_right_in_a_fork_is_promoted_and_the_run_goes_on(
    live: Server, secret: str, saver: StepbackSaver
) -> None:
    app = graph(saver)
    broken(app, "refund-1")
    fork = forked(app, saver, "refund-1")
    app.update_state(config(fork), {"amount": 80}, as_node="look_up")

    made = saver.promote(fork, "refund-1", reason="The amount was lost")

    head = app.get_state(config("refund-1"))
    assert (
        head.config["configurable"]["checkpoint_id"]
        == (made["configurable"]["checkpoint_id"])
    )
    assert (head.values["amount"], head.next) == (80, ("pay",))
    assert head.metadata["source"] == "promote"
    assert app.invoke(None, config("refund-1"))["done"] == ["looked up", "paid 80"]
    with Stepback(secret, live.url) as sb:
        (session,) = sb.sessions.list(external_id="refund-1").data
        (other,) = sb.sessions.list(external_id=fork).data
        versions = sb.sessions.list_versions(session.id, limit=100).data
        (promoted,) = [one for one in versions if one.op == "promote"]
        assert promoted.raw["source_session_id"] == other.id
        assert promoted.reasoning == "The amount was lost"
        assert sb.sessions.verify(session.id).valid


def test_a_thread_that_moved_keeps_its_place_and_takes_what_the_fork_changed(
    saver: StepbackSaver,
) -> None:
    app = graph(saver)
    broken(app, "refund-2")
    fork = forked(app, saver, "refund-2")
    app.update_state(config(fork), {"amount": 80}, as_node="look_up")
    app.update_state(config("refund-2"), {"note": "called"}, as_node="look_up")

    saver.promote(fork, "refund-2")

    head = app.get_state(config("refund-2"))
    assert (head.values["amount"], head.values["note"]) == (80, "called")
    assert head.next == ("pay",)
    done = app.invoke(None, config("refund-2"))
    assert done == {"amount": 80, "note": "called", "done": ["looked up", "paid 80"]}


def test_a_channel_that_both_changed_is_refused_until_a_side_is_chosen(
    saver: StepbackSaver,
) -> None:
    app = graph(saver)
    broken(app, "refund-3")
    fork = forked(app, saver, "refund-3")
    app.update_state(config(fork), {"amount": 80}, as_node="look_up")
    app.update_state(
        config("refund-3"), {"amount": 90, "note": "called"}, as_node="look_up"
    )
    before = newest(app, "refund-3")

    with pytest.raises(ChannelsClash) as clash:
        saver.promote(fork, "refund-3")

    assert clash.value.channels == ["amount"]
    assert newest(app, "refund-3") == before
    with pytest.raises(ValueError, match="Nothing clashes in note"):
        saver.promote(fork, "refund-3", choose={"note": "theirs"})
    with pytest.raises(ValueError, match="ours or theirs"):
        saver.promote(fork, "refund-3", choose={"amount": "both"})  # type: ignore[dict-item]
    saver.promote(fork, "refund-3", choose={"amount": "theirs"})
    values = app.get_state(config("refund-3")).values
    assert (values["amount"], values["note"]) == (80, "called")


def test_two_promotions_bring_each_change_once(saver: StepbackSaver) -> None:
    app = graph(saver)
    broken(app, "refund-4")
    fork = forked(app, saver, "refund-4")
    app.update_state(config(fork), {"amount": 80}, as_node="look_up")
    saver.promote(fork, "refund-4")
    app.update_state(config("refund-4"), {"amount": 70}, as_node="look_up")

    with pytest.raises(NothingToPromote):
        saver.promote(fork, "refund-4")
    app.update_state(config(fork), {"note": "checked"}, as_node="look_up")
    saver.promote(fork, "refund-4")

    values = app.get_state(config("refund-4")).values
    assert (values["amount"], values["note"]) == (70, "checked")


def test_a_rolled_back_promotion_is_promoted_anew(saver: StepbackSaver) -> None:
    app = graph(saver)
    broken(app, "refund-5")
    fork = forked(app, saver, "refund-5")
    before = newest(app, "refund-5")
    app.update_state(config(fork), {"amount": 80}, as_node="look_up")
    saver.promote(fork, "refund-5")
    saver.rollback_to("refund-5", before)
    assert app.get_state(config("refund-5")).values.get("amount") is None

    saver.promote(fork, "refund-5")

    assert app.get_state(config("refund-5")).values["amount"] == 80


def test_where_the_run_goes_on_can_be_the_forks_place(saver: StepbackSaver) -> None:
    app = graph(saver)
    broken(app, "refund-6")
    fork = forked(app, saver, "refund-6")
    app.update_state(config(fork), {"amount": 80}, as_node="look_up")
    app.update_state(config("refund-6"), {"note": "called"}, as_node="pay")
    assert app.get_state(config("refund-6")).next == ()

    saver.promote(fork, "refund-6", goes_on="theirs")

    assert app.get_state(config("refund-6")).next == ("pay",)
    done = app.invoke(None, config("refund-6"))
    assert (done["note"], done["done"]) == ("called", ["looked up", "paid 80"])


def test_what_is_no_fork_of_the_thread_is_refused(saver: StepbackSaver) -> None:
    app = graph(saver)
    broken(app, "refund-7")
    broken(app, "refund-8")

    with pytest.raises(ApiError) as refused:
        saver.promote("refund-8", "refund-7")

    assert refused.value.code == "not_a_fork"
    with pytest.raises(LookupError, match="thread not found: refund-9"):
        saver.promote("refund-9", "refund-7")


def test_a_thread_that_moves_meanwhile_is_not_written_over(
    live: Server, secret: str, saver: StepbackSaver, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = graph(saver)
    broken(app, "refund-10")
    fork = forked(app, saver, "refund-10")
    app.update_state(config(fork), {"amount": 80}, as_node="look_up")
    merge = saver._merged

    def late(*given: Any, **choices: Any) -> Any:
        with StepbackSaver(live.url, secret, agent_id="refunds") as other:
            there = graph(other)
            there.update_state(config("refund-10"), {"note": "in"}, as_node="look_up")
        return merge(*given, **choices)

    monkeypatch.setattr(saver, "_merged", late)
    with pytest.raises(Conflict):
        saver.promote(fork, "refund-10")

    assert app.get_state(config("refund-10")).values["note"] == "in"


def test_it_is_the_same_without_waiting(live: Server, secret: str) -> None:
    async def story() -> Any:
        async with StepbackSaver(live.url, secret, agent_id="refunds") as saver:
            app = graph(saver)
            first = {"amount": None, "note": "", "done": []}
            with pytest.raises(ZeroDivisionError):
                await app.ainvoke(first, config("refund-11"))
            state = await app.aget_state(config("refund-11"))
            name = state.config["configurable"]["checkpoint_id"]
            await saver.afork("refund-11", name, "refund-12")
            right = {"amount": 80}
            await app.aupdate_state(config("refund-12"), right, as_node="look_up")
            await saver.apromote("refund-12", "refund-11")
            return await app.ainvoke(None, config("refund-11"))

    assert asyncio.run(story())["done"] == ["looked up", "paid 80"]
