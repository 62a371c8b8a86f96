"""A module as `stepback continue` is pointed at: a graph that asks, and keeps answers.

It takes where it is kept from the environment; one of its nodes is asynchronous.
"""

from __future__ import annotations

from operator import add
from typing import Annotated, Any, TypedDict

from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

from stepback.langgraph import StepbackSaver

AGENT = "seats"


class Seats(TypedDict):
    said: Annotated[list[Any], add]


async def ask(state: Seats) -> dict[str, Any]:
    answer = interrupt("Book it?")
    if answer["comment"] == "break":
        raise RuntimeError("it \x1b[31mbroke")
    return {"said": [answer["approved"]]}


def note(state: Seats) -> dict[str, Any]:
    return {"said": ["noted"]}


def graph() -> Any:
    made = StateGraph(Seats)
    made.add_node("ask", ask)
    made.add_node("note", note)
    made.add_edge(START, "ask")
    made.add_edge("ask", "note")
    saver = StepbackSaver(agent_id=AGENT, approvals=True)
    return made.compile(checkpointer=saver)
