"""The smallest graph whose threads hold the state that is measured.

It runs in the baselines' venv, in LangGraph's own server, and imports nothing of ours.
"""

from typing import Any, TypedDict

from langgraph.graph import StateGraph


class State(TypedDict, total=False):
    """The keys of `tests.benchmarks.states.small`."""

    step: int
    said: str
    kept: dict[str, Any]
    notes: str


def nothing(state: State) -> State:
    return {}


graph = (
    StateGraph(State).add_node("node", nothing).add_edge("__start__", "node").compile()
)
