"""The command that goes on with threads whose requests people have decided."""

from __future__ import annotations

import asyncio
import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any

from stepback._sync.client import Stepback
from stepback.answers import Session
from stepback.cli.asking import PAGE, every
from stepback.cli.output import Output, plain
from stepback.errors import NotFound
from stepback.langgraph.names import thread_of


class NotContinued(ValueError):
    """Some threads could not go on; the others did."""


def go_on(client: Stepback, asked: Namespace, output: Output) -> None:
    """Run the graph on each thread that people have decided about, once.

    Raises: NotContinued, after all of them, if one failed.
    """
    from stepback.langgraph.acting.resuming import saver_of

    graph = graph_at(asked.graph)
    saver, failed = saver_of(graph), 0
    # Nodes may be synchronous or not: run so, both kinds are.
    with asyncio.Runner() as runner:
        try:
            for thread in _decided(client, saver.agent_id, asked.limit):
                raw, line = runner.run(_continued(graph, thread))
                if raw is not None:
                    failed += raw["failed"]
                    output.result(raw, line)
        finally:
            runner.run(saver.aclose())
    if failed:
        raise NotContinued(f"{failed} threads could not go on.")


def graph_at(place: str) -> Any:
    """Return the compiled graph at `module:name`, or what a function there returns.

    Raises: ValueError where nothing is there.
    """
    module, _, name = place.partition(":")
    if not module or not name:
        raise ValueError("--graph takes module:name.")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"There is no graph at {place}: {error}") from error
    return found if hasattr(found, "invoke") else found()


def _decided(client: Stepback, agent: str, most: int) -> Iterator[str]:
    """Yield threads with a decision, each once, those decided last first."""
    seen = set[str]()
    decided = every(
        lambda after: client.approvals.list(
            status="decided", agent_id=agent, limit=PAGE, starting_after=after
        )
    )
    for one in decided:
        if one.session_id in seen:
            continue
        if len(seen) == most:
            return
        seen.add(one.session_id)
        # A session that is gone has nothing to go on with.
        with suppress(NotFound):
            yield _thread_of(client.sessions.get(one.session_id))


def _thread_of(session: Session) -> str:
    """Return the thread of a session; a fork from the console is one by its id."""
    found = None
    if session.external_id is not None:
        found = thread_of(session.metadata, session.external_id)
    return session.id if found is None else found[0]


async def _continued(graph: Any, thread: str) -> tuple[dict[str, Any] | None, str]:
    """Go on with a thread; None where nothing is decided that it waits for."""
    from stepback.langgraph.acting.resuming import NothingDecided, aresume

    raw: dict[str, Any] = {"thread_id": thread, "answers": 0, "failed": False}
    try:
        command = await aresume(graph, thread)
        raw["answers"] = len(dict(command.resume or {}))
        await graph.ainvoke(command, {"configurable": {"thread_id": thread}})
    except NothingDecided:
        return None, ""
    except Exception as error:  # noqa: BLE001 - a graph may raise anything
        raw |= {"failed": True, "error": f"{type(error).__name__}: {error}"}
        return raw, f"{plain(thread)} could not go on: {plain(raw['error'])}"
    return raw, f"{plain(thread)} went on with {raw['answers']} answers."
