"""A graph as its user has it: a model that asks for seats, its tool, and a node."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.graph import START, StateGraph, add_messages
from langgraph.prebuilt import InjectedState, ToolNode, tools_condition

# How often the model and the tool were asked themselves.
ASKED = {"model": 0, "tool": 0}


class Seats(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    flight: str
    steps: Annotated[int, int.__add__]


class Model(BaseChatModel):
    """Asks for seats to where the customer says, and then names what was found."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(
        self, messages: list[BaseMessage], *given: Any, **more: Any
    ) -> ChatResult:
        ASKED["model"] += 1
        last = messages[-1]
        said = AIMessage(f"There is {last.content}.")
        if last.type == "human":
            call = {"to": last.content, "day": 1}
            calls = [{"name": "find", "args": call, "id": f"c{len(messages)}"}]
            said = AIMessage("", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=said)])


@tool
def find(to: str, day: int, flight: Annotated[str, InjectedState("flight")]) -> Any:
    """Find seats."""
    ASKED["tool"] += 1
    return {"seats": ["12A"], "to": to, "flight": flight}


def think(state: Seats) -> dict[str, Any]:
    return {"messages": [Model().invoke(state["messages"])], "steps": 1}


async def note(state: Seats) -> dict[str, Any]:
    """Leave a message that is given an id of its own in every run."""
    return {"messages": [AIMessage("Is that all?")], "steps": 1}


def builder(think: Any = think, tools: Any = None) -> Any:
    made = StateGraph(Seats)
    made.add_node("think", think)
    made.add_node("tools", tools or ToolNode([find]))
    made.add_node("note", note)
    made.add_edge(START, "think")
    made.add_conditional_edges(
        "think", tools_condition, {"tools": "tools", "__end__": "note"}
    )
    made.add_edge("tools", "think")
    return made


graph = builder().compile()


def made() -> Any:
    """Make the graph, as where it is compiled with a checkpointer."""
    return builder().compile()


def asks_another_day(state: Seats) -> dict[str, Any]:
    call = {"name": "find", "args": {"to": "Oslo", "day": 2}, "id": "c1"}
    return {"messages": [AIMessage("", tool_calls=[call])], "steps": 1}


changed = builder(asks_another_day).compile()


def forgets(state: Seats) -> dict[str, Any]:
    return {"messages": [Model().invoke(state["messages"])], "steps": 2}


forgetful = builder(forgets).compile()


async def by_hand(state: Seats, config: RunnableConfig) -> dict[str, Any]:
    """Ask the replay itself, as a node does whose tool is not LangChain's."""
    run = config["configurable"]["stepback_run"]
    (call,) = state["messages"][-1].tool_calls
    found = await run.acall(call["name"], call["args"])
    said = {"role": "tool", "content": found, "tool_call_id": call["id"]}
    return {"messages": [{**said, "name": call["name"]}]}


handmade = builder(tools=by_hand).compile()


def calls_home(state: Seats) -> dict[str, Any]:
    import socket

    socket.create_connection(("127.0.0.1", 9))
    return {}


homesick = builder(calls_home).compile()
