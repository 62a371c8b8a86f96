"""A LangGraph process that acts at each of its steps, and is killed at any moment.

`python -m tests.races.graph_agent URL SECRET THREAD FILE STEPS`: each step calls a tool
that adds a line to the file. What another process left open is passed over.
"""

from __future__ import annotations

import os
import sys
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph

from stepback import errors
from stepback.langgraph import StepbackSaver, effect


class Steps(TypedDict):
    step: int


def work(url: str, secret: str, thread: str, file: str, steps: int) -> None:
    @effect("irreversible")
    def call(step: int) -> int:
        descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(descriptor, f"{step}\n".encode())
        os.close(descriptor)
        return step

    def act(state: Steps) -> dict[str, Any]:
        try:
            return {"step": call(state["step"]) + 1}
        except (errors.EffectInProgress, errors.EffectUnknown):
            return {"step": state["step"] + 1}

    made = StateGraph(Steps)
    made.add_node("act", act)
    made.add_edge(START, "act")
    made.add_conditional_edges(
        "act", lambda state: END if state["step"] >= steps else "act", [END, "act"]
    )
    with StepbackSaver(url, secret, agent_id="killed") as saver:
        app = made.compile(checkpointer=saver)
        config: Any = {"configurable": {"thread_id": thread}, "recursion_limit": 1_000}
        _say("ready")
        begun = app.get_state(config).values
        app.invoke(None if begun else {"step": 0}, config)
    _say("over")


def _say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    work(*sys.argv[1:5], int(sys.argv[5]))
