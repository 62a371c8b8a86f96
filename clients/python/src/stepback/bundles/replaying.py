"""Run an agent against a bundle, offline, and say what came of it."""

from __future__ import annotations

import asyncio
import copy
import inspect
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from typing import Any

from stepback.bundles import graphs, network
from stepback.bundles.bundle import Bundle
from stepback.bundles.network import Try
from stepback.bundles.run import Difference, Run
from stepback.checks import Outcome, evaluate, read_text

Agent = Callable[[Any, Run], Any]


class NoAgent(ValueError):
    """There is nothing to run at this place."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came of a replay."""

    # In the order in which a test that fails shows them.
    difference: Difference | None
    # What the agent raised, and where.
    raised: str | None
    # Each check, and whether it holds, fails or is undecided.
    checks: tuple[tuple[str, str], ...]
    # What the agent asked of the network, which it did not get.
    tried: tuple[Try, ...]
    state: Any = field(repr=False)

    @property
    def passed(self) -> bool:
        """Whether it ended, and its checks hold; without any, that nothing differs."""
        if self.raised is not None:
            return False
        if self.checks:
            return all(outcome == Outcome.HOLDS for _, outcome in self.checks)
        return self.difference is None

    def told(self) -> dict[str, Any]:
        """Return it as JSON."""
        difference = self.difference and asdict(self.difference)
        return {
            "passed": self.passed,
            "checks": [
                {"check": text, "outcome": outcome} for text, outcome in self.checks
            ],
            "difference": difference,
            "network": [asdict(one) for one in self.tried],
            "raised": self.raised,
            "state": self.state,
        }


def replay(bundle: Bundle, agent: Agent, checks: Sequence[str] = ()) -> Replayed:
    """Run an agent against what a bundle records, with the network cut.

    It may be a compiled LangGraph graph: its models and tools answer from the record.
    The bundle's own checks are asked as well. What the agent raises is told, not
    raised.

    Raises: stepback.checks.CheckRefused, before it is run; NoAgent.
    """
    asked = [*bundle.checks, *(one for one in checks if one not in bundle.checks)]
    read = [(text, read_text(text)) for text in asked]
    if graphs.is_graph(agent):
        agent = graphs.agent_of(agent)
    if not callable(agent):
        raise NoAgent(f"{agent!r} cannot be called: an agent takes (state, run).")
    run, raised = Run(bundle.record), None
    with network.cut() as tried:
        try:
            _drive(agent, run)
        # An agent may raise anything, and end its process with success.
        except (Exception, SystemExit) as error:  # noqa: BLE001
            raised = _told(error)
    verdicts = tuple(
        (text, str(evaluate(check, run.state, before=run.before).outcome))
        for text, check in read
    )
    return Replayed(run.difference, raised, verdicts, tuple(tried), run.state)


def agent_at(place: str) -> Agent:
    """Return the agent at `module:function`; its module is imported offline.

    That may be a compiled LangGraph graph, or a function without parameters that makes
    one.

    Raises: NoAgent.
    """
    module, _, name = place.partition(":")
    if not module or not name:
        raise NoAgent("--agent takes module:function.")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        with network.cut():
            found = _made(getattr(import_module(module), name))
    except (Exception, SystemExit) as error:
        raise NoAgent(f"There is no agent at {place}: {_told(error)}") from error
    if graphs.is_graph(found):
        return graphs.agent_of(found)
    if not callable(found):
        raise NoAgent(f"What is at {place} cannot be called: it takes (state, run).")
    agent: Agent = found
    return agent


def _made(found: Any) -> Any:
    """Return the graph that a function without parameters makes, else what it is."""
    if not inspect.isfunction(found) or inspect.signature(found).parameters:
        return found
    return found()


def _drive(agent: Agent, run: Run) -> None:
    """Call the agent, and take the states that it yields, or the one that it leaves."""
    given = copy.deepcopy(run.state)
    answer = agent(given, run)
    if inspect.isasyncgen(answer):
        asyncio.run(_taken(answer, run))
        run.end(has_saved=True)
    elif inspect.isgenerator(answer):
        for state in answer:
            run.save(state)
        run.end(has_saved=True)
    else:
        if inspect.isawaitable(answer):
            answer = asyncio.run(_awaited(answer))
        # Who returns nothing has changed the state that was given.
        left = given if answer is None else answer
        if run.has_saved:
            run.save(left if answer is not None else run.state)
            run.end(has_saved=True)
        else:
            run.end(has_saved=False)
            run.hold_last(left)


async def _taken(states: Any, run: Run) -> None:
    async for state in states:
        run.save(state)


async def _awaited(answer: Any) -> Any:
    return await answer


def _told(error: BaseException) -> str:
    """Return what was raised, and the line of the agent that it came from."""
    said = f"{type(error).__name__}: {error}"
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if os.sep + os.path.join("stepback", "bundles") + os.sep not in frame.filename:
            return f"{said} ({frame.filename}:{frame.lineno} in {frame.name})"
    return said
