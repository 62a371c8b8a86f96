"""An agent is killed between begin, call and finish: no call is made twice."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from tests.commands import ROOT
from tests.live import Server
from tests.races.traffic import Line

KEYS = 120
KILLS = 8


def test_whenever_it_is_killed_no_call_is_made_twice(
    live: Server,
    secret: str,
    line: Line,
    start: Callable[..., str],
    tmp_path: Path,
) -> None:
    session_id, called = start({"began": True}), tmp_path / "called"
    chance = Random(17)

    about = (live.url, secret, session_id, str(called))
    for number in range(KILLS):
        # Each goes on from where new ones come soon.
        with agent(*about, str(number * KEYS // KILLS)) as process:
            assert process.stdout
            assert process.stdout.readline() == b"ready\n"
            time.sleep(chance.uniform(0.005, 0.1))
            process.kill()
    with agent(*about, "0") as process:
        told, _ = process.communicate(timeout=60)
    assert told == b"ready\nover\n"

    calls = Counter(called.read_text().split())
    assert set(calls.values()) == {1}
    statuses = {one["key"]: one["status"] for one in effects(line, session_id)}
    assert len(statuses) == KEYS
    # What was done is known as done; every open end is shown as one.
    assert {key for key, status in statuses.items() if status == "done"} <= set(calls)
    open_ends = {key for key, status in statuses.items() if status == "begun"}
    assert set(statuses) - open_ends == {
        key for key, status in statuses.items() if status == "done"
    }
    assert 0 < len(open_ends) <= KILLS
    for key in open_ends:
        mail = {"key": key, "tool": "send_mail", "class": "irreversible"}
        answer = line.post(f"/v1/sessions/{session_id}/effects", mail)
        assert answer.body["error"]["code"] == "effect_in_progress"


def agent(*about: str) -> subprocess.Popen[bytes]:
    """Start the process, which is told what it takes: see `effect_agent`."""
    command = [sys.executable, "-m", "tests.races.effect_agent", *about, str(KEYS)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)


def effects(line: Line, session_id: str) -> list[Any]:
    """Return all effects of the session, page by page."""
    found: list[Any] = []
    path, after = f"/v1/sessions/{session_id}/effects?limit=100", ""
    while True:
        page = line.get(path + after).body
        found += page["data"]
        if not page["has_more"]:
            return found
        after = f"&starting_after={page['last_id']}"
