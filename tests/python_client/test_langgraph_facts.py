"""The executive's case in a real graph: days later the price is another one.

A graph remembers a price, asks an executive to allow the purchase, and waits. When it
goes on it holds the remembered price to the live one, stops, and asks again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt

from stepback import Stepback, errors
from stepback.langgraph import StepbackSaver, resume
from stepback.langgraph.acting.shapes import MARK
from tests.live import Server
from tests.python_client.people import Person

TICKET = {"flight": "LH 123", "class": "business"}


class Trip(TypedDict, total=False):
    facts: dict[str, Any]
    bought: int | None


class Market:
    """What a ticket costs now, and what was bought."""

    price = 500
    bought: list[int]

    def __init__(self) -> None:
        self.bought = []


@pytest.fixture(scope="module")
def executive(live: Server, secret: str) -> Iterator[Person]:
    person = Person(live, "stepback-client", "erin-the-executive")
    yield person
    person.close()


@pytest.fixture
def sb(live: Server, secret: str) -> Iterator[Stepback]:
    with Stepback(secret, live.url) as made:
        yield made


@pytest.fixture
def saver(live: Server, secret: str) -> Iterator[StepbackSaver]:
    with StepbackSaver(live.url, secret, agent_id="trips", approvals=True) as made:
        yield made


def graph(sb: Stepback, saver: StepbackSaver, market: Market, thread: str) -> Any:
    def look(state: Trip) -> Trip:
        return {"facts": {"price": market.price}}

    def buy(state: Trip) -> Trip:
        (session,) = sb.sessions.list(external_id=thread).data
        asked = sb.approvals.request_approval(
            session.id, "buy", TICKET, depends_on=["fact:price"], key="buy"
        )
        interrupt({MARK: asked.id})
        try:
            sb.sessions.check_facts(session.id, {"price": market.price})
        except errors.AssumptionsChanged as changed:
            (again,) = changed.approvals
            interrupt({MARK: again["id"]})
        begun = sb.sessions.begin_effect(session.id, "buy", "buy", TICKET)
        if begun.run:
            market.bought.append(market.price)
            sb.sessions.finish_effect(session.id, str(begun.id), begun.attempt or 1)
        return {"facts": {"price": market.price}, "bought": market.price}

    made = StateGraph(Trip)
    made.add_node("look", look)
    made.add_node("buy", buy)
    made.add_edge(START, "look")
    made.add_edge("look", "buy")
    made.add_edge("buy", END)
    return made.compile(checkpointer=saver)


def of(sb: Stepback, thread: str) -> list[Any]:
    (session,) = sb.sessions.list(external_id=thread).data
    found = sb.approvals.list(agent_id="trips", limit=100).data
    return [one for one in found if one.session_id == session.id][::-1]


def test_a_changed_price_is_asked_again_before_anything_is_bought(
    sb: Stepback, saver: StepbackSaver, executive: Person
) -> None:
    market, thread = Market(), "executive-changed"
    config: Any = {"configurable": {"thread_id": thread}}
    app = graph(sb, saver, market, thread)
    app.invoke({}, config, durability="sync")
    (first,) = of(sb, thread)
    executive.approves(first.id)
    market.price = 620

    app.invoke(resume(app, thread), config, durability="sync")

    first, second = of(sb, thread)
    assert (first.status, second.status) == ("voided", "pending")
    assert second.replaces == first.id
    assert second.changes == [
        {"key": "price", "status": "changed", "was": 500, "now": 620}
    ]
    assert market.bought == []

    executive.approves(second.id)
    done = app.invoke(resume(app, thread), config, durability="sync")

    assert done["bought"] == 620
    assert market.bought == [620]


def test_the_same_price_is_not_asked_again(
    sb: Stepback, saver: StepbackSaver, executive: Person
) -> None:
    market, thread = Market(), "executive-same"
    config: Any = {"configurable": {"thread_id": thread}}
    app = graph(sb, saver, market, thread)
    app.invoke({}, config, durability="sync")
    (asked,) = of(sb, thread)
    executive.approves(asked.id)

    app.invoke(resume(app, thread), config, durability="sync")

    assert len(of(sb, thread)) == 1
    assert market.bought == [500]
