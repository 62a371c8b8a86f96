"""The programs of published guides, run out of their text as they stand there.

STEPBACK_GUIDES names a folder of guides as text. What `test_guide` has of them typed
runs always. Only the names that a program leaves open are filled in.
"""

from __future__ import annotations

import asyncio
import functools
import io
import os
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.base.id import uuid6
from mcp import Client

from stepback.langgraph import StepbackSaver
from stepback.mcp.server import made
from tests.live import Server
from tests.python_client.guides import programs
from tests.python_client.test_mcp import Caller

GUIDES = os.environ.get("STEPBACK_GUIDES")
NEWEST = 9
MADE = ("sb.sessions.update_state(", "sb.sessions.rollback(", "state_after=")
CALLS = ("sb.sessions.", "sb.memory.", ".rollback_to(")
THREAD, CHECKPOINT = "run-42", "0c3b84d1-…"
PROSE = """\
Rollback
Key insight: nothing is lost. If your agent makes a mistake:
Example: Debugging
# Step back
restored = sb.sessions.rollback(
    session_id=session.id,

    version=3
)
Why: it is safer.
Undo
if restored:
    sb.sessions.update_state(session.id, {})
• Version number
"""


@functools.cache
def texts() -> list[str]:
    return [file.read_text() for file in sorted(Path(str(GUIDES)).glob("*.txt"))]


@functools.cache
def every_program() -> list[str]:
    return [one for text in texts() for one in programs(text)]


def found(call: str) -> list[str]:
    """Return the programs of all guides that make this call."""
    return [one for one in every_program() if call in one]


def named(program: str) -> str:
    """Return the first words of a program, to tell it from others."""
    return next(iter(program.splitlines()), "")[:50]


needs_guides = pytest.mark.skipif(
    not GUIDES, reason="STEPBACK_GUIDES names no folder of guides"
)
OURS = found("sb.") if GUIDES else []
TOOLS = found("checkpoint_rollback(") if GUIDES else []
SAVERS = found(".rollback_to(") if GUIDES else []


def test_programs_are_taken_out_of_prose_whole() -> None:
    assert list(programs(PROSE)) == [
        "# Step back\nrestored = sb.sessions.rollback(\n"
        "    session_id=session.id,\n\n    version=3\n)\n",
        "if restored:\n    sb.sessions.update_state(session.id, {})\n",
    ]


@needs_guides
def test_no_call_of_a_guide_is_left_out() -> None:
    told = {call: sum(text.count(call) for text in texts()) for call in CALLS}

    run = {call: sum(one.count(call) for one in found(call)) for call in CALLS}
    assert run == told
    # A guide need not call memories; without any call nothing would be compared.
    assert told["sb.sessions."] > 0
    assert told[".rollback_to("] > 0
    assert TOOLS


@needs_guides
@pytest.mark.parametrize("program", OURS, ids=named)
def test_a_program_of_a_guide_runs_as_written(
    sb: Any, agent_id: str, program: str
) -> None:
    session = counted(sb, agent_id)
    names = open_names(sb, session)

    exec(compile(program, "guide", "exec"), names)

    mine = names["session"]
    begun = 0 if mine.id != session.id else NEWEST
    made = sum(program.count(call) for call in MADE)
    assert sb.sessions.get(mine.id).version == begun + made
    if "restored_state" in names:
        assert names["restored_state"].state == {"n": 3}
    if "response" in names:
        assert names["response"] == "said"
    for name, version in (("forked_session", 3), ("debug_session", NEWEST)):
        if name in names:
            assert names[name].id != session.id
            assert names[name].state == {"n": version}
            assert names[name].metadata == {
                "forked_from": session.id,
                "forked_version": version,
            }


def counted(sb: Any, agent_id: str) -> Any:
    session = sb.sessions.create(agent_id=agent_id, initial_state={"n": 0})
    versions = [{"state": {"n": number}} for number in range(1, NEWEST + 1)]
    sb.sessions.append_batch(session.id, versions)
    return session


def open_names(sb: Any, session: Any) -> dict[str, Any]:
    """Return what the guide's programs leave open: sessions, models, an application."""

    def asked(**given: Any) -> str:
        assert given
        return "said"

    return {
        "sb": sb,
        "session": session,
        "original_session": session,
        "production_session": session,
        "session_id": session.id,
        "state": {"n": NEWEST + 1},
        "user_confirmed": True,
        "is_critical_operation": True,
        "user_requested_save": True,
        "current_data": {"name": "Ada"},
        "user_id": 7,
        "user_message": "A flight to NYC",
        "call_weather_api": lambda city: {"city": city, "sky": "fog"},
        "delete_user_data": lambda user_id: None,
        "notify_human_agent": lambda session_id: None,
        "llm": SimpleNamespace(generate=asked),
        "anthropic": SimpleNamespace(messages=SimpleNamespace(create=asked)),
    }


@pytest.fixture(scope="module")
def guide_key(live: Server) -> str:
    """A key of a project of its own: the guide says what its thread is called."""
    return live.key("guide")


@pytest.fixture
def saver(live: Server, guide_key: str) -> Iterator[StepbackSaver]:
    """A saver whose thread has the guide's checkpoint, and a bad one after it."""
    with StepbackSaver(live.url, guide_key) as made:
        config: Any = {"configurable": {"thread_id": THREAD, "checkpoint_ns": ""}}
        read = made.get_tuple(config)
        on = read.config if read else put(made, config, CHECKPOINT, "good")
        put(made, on, str(uuid6()), "bad")
        yield made


def put(saver: StepbackSaver, config: Any, name: str, said: str) -> Any:
    checkpoint = empty_checkpoint() | {"id": name, "channel_values": {"said": said}}
    return saver.put(config, checkpoint, {"source": "loop", "step": 1}, {})


@needs_guides
@pytest.mark.parametrize("program", SAVERS, ids=named)
def test_a_savers_rollback_runs_as_written(
    monkeypatch: pytest.MonkeyPatch, saver: StepbackSaver, program: str
) -> None:
    theirs = ModuleType("langgraph_checkpoint_walrus")
    theirs.WalrusClient = SimpleNamespace  # type: ignore[attr-defined]
    theirs.WalrusSaver = lambda client: saver  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, theirs.__name__, theirs)
    printed = io.StringIO()

    with redirect_stdout(printed):
        exec(compile(program, "guide", "exec"), {})

    assert printed.getvalue() == f"{CHECKPOINT}\n"
    assert said_last(saver) == "good"


@needs_guides
@pytest.mark.parametrize("program", TOOLS, ids=named)
def test_a_tools_rollback_runs_as_written(
    live: Server, guide_key: str, saver: StepbackSaver, program: str
) -> None:
    answers = []

    def checkpoint_rollback(**given: Any) -> None:
        async def call() -> dict[str, Any]:
            async with Client(made(live.url, guide_key, "stdio")) as client:
                return await Caller(client)("checkpoint_rollback", **given)

        answers.append(asyncio.run(call()))

    exec(
        compile(program, "guide", "exec"), {"checkpoint_rollback": checkpoint_rollback}
    )

    (told,) = answers
    assert (told["thread_id"], told["restored_from"]) == (THREAD, CHECKPOINT)
    assert said_last(saver) == "good"


def said_last(saver: StepbackSaver) -> Any:
    head = saver.get_tuple({"configurable": {"thread_id": THREAD}})
    assert head is not None
    return head.checkpoint["channel_values"]["said"]
