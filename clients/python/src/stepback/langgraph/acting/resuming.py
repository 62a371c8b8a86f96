"""Going on with what people decided: `graph.invoke(resume(graph, thread), config)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.types import Command

from stepback.answers import Approval
from stepback.failures import StepbackError
from stepback.langgraph.saver import StepbackSaver


class NothingDecided(StepbackError):
    """A thread cannot go on yet; `waiting` are the approvals that it waits for."""

    def __init__(self, thread_id: str, waiting: Sequence[Approval]) -> None:
        self.waiting = list(waiting)
        open = [f"{one.id} is {one.status}" for one in self.waiting]
        what = ", ".join(open) or "nothing is asked"
        super().__init__(f"Nothing is decided for the thread {thread_id}: {what}.")


class NoSaver(StepbackError):
    """A graph does not keep its checkpoints in Stepback."""


def resume(graph: Any, thread: str) -> Command[Any]:
    """Return the command with which a thread goes on: an answer for each decision.

    What is not decided stays as it is; its node asks again, which asks nobody twice.

    Raises: NothingDecided; NoSaver.
    """
    saver = saver_of(graph)
    state = graph.get_state({"configurable": {"thread_id": thread}})
    found = saver.answers(thread, state.interrupts)
    if not found.decided:
        raise NothingDecided(thread, found.waiting)
    return Command(resume=found.decided)


async def aresume(graph: Any, thread: str) -> Command[Any]:
    """Return the command with which a thread goes on; see `resume`."""
    saver = saver_of(graph)
    state = await graph.aget_state({"configurable": {"thread_id": thread}})
    found = await saver.aanswers(thread, state.interrupts)
    if not found.decided:
        raise NothingDecided(thread, found.waiting)
    return Command(resume=found.decided)


def saver_of(graph: Any) -> StepbackSaver:
    """Return the checkpointer that a graph was compiled with.

    Raises: NoSaver if it is none of ours.
    """
    saver = getattr(graph, "checkpointer", None)
    if not isinstance(saver, StepbackSaver):
        raise NoSaver("The graph has no StepbackSaver: compile it with one.")
    return saver
