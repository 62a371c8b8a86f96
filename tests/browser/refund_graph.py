"""A run that is killed while people are asked: three nodes side by side, then one.

`python -m tests.browser.refund_graph THREAD` begins it; where it is kept, and the file
in which its tools count their calls, come from the environment.
"""

from __future__ import annotations

import os
import sys
import time
from operator import add
from typing import Annotated, Any, TypedDict

from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

from stepback.langgraph import StepbackSaver, effect

AGENT = "refunds"
CALLS = "REFUND_CALLS"
MAIL = {
    "action_request": {"action": "send_mail", "args": {"to": "ann", "text": "Sorry."}},
    "config": {
        "allow_ignore": True,
        "allow_respond": False,
        "allow_edit": True,
        "allow_accept": True,
    },
}


class Refund(TypedDict):
    done: Annotated[list[Any], add]


def called(line: str) -> None:
    """Be a tool that counts: whatever is killed, what was written is there."""
    descriptor = os.open(os.environ[CALLS], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, f"{line}\n".encode())
    os.close(descriptor)


@effect("irreversible")
def refund(amount: int) -> str:
    called(f"refund {amount}")
    return "refund-1"


@effect("irreversible")
def send_mail(to: str, text: str) -> str:
    called(f"mail {to} {text}")
    return "mail-1"


@effect("reversible")
def draft(to: str) -> str:
    called(f"draft {to}")
    return "draft-1"


@effect("irreversible")
def restock(item: str) -> str:
    called(f"restock {item}")
    return "stock-1"


def paying(state: Refund) -> dict[str, Any]:
    return {"done": [refund(2490)]}


def writing(state: Refund) -> dict[str, Any]:
    drafted = draft("ann")
    (answer,) = interrupt([MAIL])
    return {"done": [drafted, send_mail(**answer["args"]["args"])]}


def shelving(state: Refund) -> dict[str, Any]:
    """Finish after the two others have asked."""
    client = StepbackSaver(agent_id=AGENT).threads.client
    while len(client.approvals.list(status="pending", agent_id=AGENT).data) < 2:
        time.sleep(0.05)
    return {"done": [restock("XQ-417")]}


def telling(state: Refund) -> dict[str, Any]:
    called("told")
    return {"done": ["told"]}


def graph() -> Any:
    made = StateGraph(Refund)
    for name, act in (("pay", paying), ("write", writing), ("shelve", shelving)):
        made.add_node(name, act)
        made.add_edge(START, name)
    made.add_node("tell", telling)
    made.add_edge(["pay", "write", "shelve"], "tell")
    saver = StepbackSaver(agent_id=AGENT, approvals=True)
    return made.compile(checkpointer=saver)


if __name__ == "__main__":
    graph().invoke({"done": []}, {"configurable": {"thread_id": sys.argv[1]}})
    time.sleep(3_600)
