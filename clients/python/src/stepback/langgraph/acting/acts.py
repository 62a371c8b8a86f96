"""One call of a tool as an effect: where in a run it is made, and under which key."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from langgraph.config import get_config
from langgraph.runtime import get_runtime

if TYPE_CHECKING:
    from stepback.langgraph.saver import StepbackSaver

# What LangGraph hands down to all that a task calls.
CHECKPOINTER, CHECKPOINTS = "__pregel_checkpointer", "checkpoint_map"
DURABILITY, RUNTIME = "__pregel_durability", "__pregel_runtime"
LONGEST_THREAD = 80
MOST_TASKS = 1_000


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where in a run a tool is called: on these checkpoints, by namespace."""

    saver: StepbackSaver
    thread_id: str
    task_id: str
    checkpoints: Mapping[str, str]
    # One object for each time that a task runs.
    run: Any


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A call that is to be made once; what it says of itself goes to the server."""

    place: Place
    key: str
    tool: str
    arguments: Mapping[str, Any]
    about: Mapping[str, Any]


def here() -> Place:
    """Return where in a run this is called.

    Raises: RuntimeError outside of a graph with a StepbackSaver, and where checkpoints
    are stored at the end alone: a run that is killed would then do everything again.
    """
    from stepback.langgraph.saver import StepbackSaver

    told = get_config()["configurable"]
    saver, run = told.get(CHECKPOINTER), told.get(RUNTIME)
    about = None if run is None else get_runtime().execution_info
    if not isinstance(saver, StepbackSaver) or about is None:
        raise RuntimeError("An effect runs in a graph that a StepbackSaver keeps.")
    if told.get(DURABILITY) == "exit":
        raise RuntimeError('An effect needs durability="async" or "sync".')
    return Place(
        saver=saver,
        thread_id=str(about.thread_id),
        task_id=about.task_id,
        checkpoints=dict(told.get(CHECKPOINTS) or {}),
        run=run,
    )


class Ordinals:
    """Counts equal calls of a task, anew each time that it runs.

    Only equal ones are told apart by it: in which order others come does not matter,
    so they may be made side by side.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # Each run is held here, so that no other has its id meanwhile.
        self._runs: OrderedDict[int, tuple[Any, Counter[str]]] = OrderedDict()

    def next(self, run: Any, digest: str) -> int:
        with self._lock:
            _, counted = self._runs.setdefault(id(run), (run, Counter()))
            self._runs.move_to_end(id(run))
            if len(self._runs) > MOST_TASKS:
                self._runs.popitem(last=False)
            counted[digest] += 1
            return counted[digest]


ORDINALS = Ordinals()


def wanted(tool: str, arguments: Mapping[str, Any], about: Mapping[str, Any]) -> Wanted:
    """Return the call under its key: thread, task, ordinal and digest.

    A task keeps its id when LangGraph runs it again on the same checkpoint, whichever
    process does.

    Raises: TypeError or ValueError for arguments that are no JSON; RuntimeError.
    """
    place = here()
    spelled = json.dumps([tool, arguments], sort_keys=True, allow_nan=False)
    digest = hashlib.sha256(spelled.encode()).hexdigest()[:32]
    thread = place.thread_id
    if len(thread) > LONGEST_THREAD or not thread.isprintable():
        thread = hashlib.sha256(thread.encode("utf-8", "surrogatepass")).hexdigest()
    number = ORDINALS.next(place.run, digest)
    key = f"{thread}:{place.task_id}:{number}:{digest}"
    return Wanted(
        place=place, key=key, tool=tool, arguments=dict(arguments), about=dict(about)
    )
