"""A graph that books a seat: a scripted model, a tool, a sub-graph and an interrupt."""

from __future__ import annotations

from operator import add
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph, add_messages
from langgraph.types import interrupt


class Trip(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    seats: Annotated[list[str], add]
    approved: bool | None


class Checks(TypedDict):
    seats: Annotated[list[str], add]
    checked: int


def model(state: Trip) -> dict[str, Any]:
    """Ask for a seat first, then say that it is booked."""
    if any(isinstance(one, ToolMessage) for one in state["messages"]):
        said = AIMessage("Booked.", id=f"ai-{len(state['messages'])}")
    else:
        call = {"name": "book", "args": {"seat": "12A"}, "id": "call-1"}
        said = AIMessage("", id="ai-call", tool_calls=[call])
    return {"messages": [said]}


def book(state: Trip) -> dict[str, Any]:
    (call,) = state["messages"][-1].tool_calls
    result = ToolMessage("ok", id="tool-1", tool_call_id=call["id"])
    return {"messages": [result], "seats": [call["args"]["seat"]]}


def approve(state: Trip) -> dict[str, Any]:
    return {"approved": interrupt({"question": "Book it?"})}


def look(state: Checks) -> dict[str, Any]:
    return {"checked": len(state["seats"])}


def note(state: Checks) -> dict[str, Any]:
    return {"seats": [f"checked {state['checked']}"]}


def builder() -> Any:
    checks = StateGraph(Checks)
    checks.add_node("look", look)
    checks.add_node("note", note)
    checks.add_edge(START, "look")
    checks.add_edge("look", "note")
    trip = StateGraph(Trip)
    trip.add_node("model", model)
    trip.add_node("approve", approve)
    trip.add_node("book", book)
    trip.add_node("checks", checks.compile())
    trip.add_edge(START, "model")
    trip.add_conditional_edges(
        "model",
        lambda state: "approve" if state["messages"][-1].tool_calls else END,
        ["approve", END],
    )
    trip.add_edge("approve", "book")
    trip.add_edge("book", "checks")
    trip.add_edge("checks", "model")
    return trip


def graph(saver: BaseCheckpointSaver[Any]) -> Any:
    return builder().compile(checkpointer=saver)
