"""A LangGraph process is killed anywhere in its steps: no tool is called twice."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

from stepback import Stepback
from tests.commands import ROOT
from tests.live import Server

SOURCE = ROOT / "clients" / "python" / "src"
STEPS = 60
KILLS = 6
THREAD = "killed-graph"


def test_whenever_a_graph_is_killed_no_tool_is_called_twice(
    live: Server, secret: str, tmp_path: Path
) -> None:
    called, chance = tmp_path / "called", Random(17)
    about = (live.url, secret, THREAD, str(called), str(STEPS))
    kills = 0

    for _ in range(KILLS):
        with agent(*about) as process:
            assert process.stdout
            assert process.stdout.readline() == b"ready\n"
            time.sleep(chance.uniform(0.05, 0.6))
            kills += process.poll() is None
            process.kill()
    with agent(*about) as process:
        told, _ = process.communicate(timeout=120)
    assert told == b"ready\nover\n"

    assert kills > KILLS / 2
    calls = Counter(map(int, called.read_text().split()))
    assert set(calls.values()) == {1}
    with Stepback(secret, live.url) as sb:
        (session,) = sb.sessions.list(external_id=THREAD).data
        found, after = [], None
        while after is not None or not found:
            page = sb.sessions.effects(session.id, limit=100, starting_after=after)
            found += list(page.data)
            after = page.last_id if page.has_more else None
    assert session.state["step"] == STEPS
    # One effect for each step: run again, a task has the id that it had.
    assert len(found) == STEPS
    open_ends = [one for one in found if one.status == "begun"]
    assert len(open_ends) <= kills
    assert len(found) - len(open_ends) <= len(calls) <= len(found)


def agent(*about: str) -> subprocess.Popen[bytes]:
    """Start the process, which is told what it takes: see `graph_agent`."""
    command = [sys.executable, "-m", "tests.races.graph_agent", *about]
    told = {**os.environ, "PYTHONPATH": str(SOURCE)}
    return subprocess.Popen(command, cwd=ROOT, env=told, stdout=subprocess.PIPE)
