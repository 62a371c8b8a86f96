"""A run is killed while it waits for people; they decide days later; another goes on.

Real LangGraph in processes that are killed, a real server whose clock is moved, and a
real browser in which one request is approved and another one edited.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from stepback import Stepback
from tests.browser.refund_graph import AGENT, CALLS
from tests.browser.signing_in import signed_in
from tests.commands import ROOT
from tests.faults.scenarios.clock import clock_file, environment, set_clock
from tests.live import Server, serving
from tests.live import environment as of_commands

PROJECT = "days-later"
THREAD = "refund-417"
DAY = 86_400
PATIENCE = 60
SOURCE = ROOT / "clients" / "python" / "src"


@pytest.fixture
def clock(tmp_path: Path) -> Path:
    return clock_file(tmp_path)


@pytest.fixture
def server(clock: Path, worker_id: str) -> Iterator[Server]:
    with serving(f"days_{worker_id}", workers=1, also=environment(clock)) as made:
        yield made


@pytest.fixture
def run_by(server: Server, tmp_path: Path) -> dict[str, str]:
    """What a process of the agent is told."""
    return {
        **os.environ,
        "PYTHONPATH": str(SOURCE),
        "STEPBACK_URL": server.url,
        "STEPBACK_API_KEY": server.key(PROJECT),
        CALLS: str(tmp_path / "calls"),
    }


def manage(server: Server, clock: Path, *arguments: str) -> str:
    """Run a command by the moved clock."""
    command = [sys.executable, "manage.py", *arguments]
    told = of_commands(server.dsn) | environment(clock)
    done = subprocess.run(
        command, cwd=ROOT, env=told, capture_output=True, text=True, check=True
    )
    return done.stdout


def wait_until(sb: Stepback, process: subprocess.Popen[bytes]) -> list[Any]:
    """Wait until two are asked and the third node's write is kept; return what asks."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        assert process.poll() is None
        found = sb.sessions.list(external_id=THREAD).data
        page = found and sb.sessions.list_checkpoints(found[0].id, limit=1).data
        written = [one["channel"] for one in page[0].writes] if page else []
        asked = sb.approvals.list(status="pending", agent_id=AGENT).data
        if len(asked) == 2 and "done" in written:
            return list(asked)
        time.sleep(0.05)
    raise AssertionError("The run did not get that far.")


def decide(page: Page, server: Server, id: str, do: str, arguments: str = "") -> None:
    page.goto(f"{server.url}/console/{PROJECT}/approvals/{id}")
    page.get_by_role("link", name=do).click()
    if arguments:
        page.get_by_label("Arguments that are allowed").fill(arguments)
    page.locator("form.confirm button[type=submit]").click()
    expect(page.get_by_text("Approved: the agent may go on")).to_be_visible()


def go_on(run_by: dict[str, str]) -> str:
    """Be the timer that goes on with what was decided, as a process of its own."""
    place = "tests.browser.refund_graph:graph"
    done = subprocess.run(
        [sys.executable, "-m", "stepback.cli", "continue", "--graph", place],
        cwd=ROOT,
        env=run_by,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_effect_runs_once_and_the_third_nodes_write_is_there(
    server: Server, clock: Path, run_by: dict[str, str], chromium: Browser
) -> None:
    calls = Path(run_by[CALLS])
    with Stepback(server.key(PROJECT, "--scope", "admin"), server.url) as sb:
        sb.agents.create(external_id=AGENT)
        sb.approvals.create_rule(AGENT, tool="refund", expires_in=30 * DAY)
        begin = [sys.executable, "-m", "tests.browser.refund_graph", THREAD]
        with subprocess.Popen(begin, cwd=ROOT, env=run_by) as process:
            try:
                asked = wait_until(sb, process)
            finally:
                os.kill(process.pid, signal.SIGKILL)
        assert sorted(calls.read_text().splitlines()) == ["draft ann", "restock XQ-417"]
        assert go_on(run_by) == ""

        set_clock(clock, 4 * DAY)
        ids = {one.tool: one.id for one in asked}
        assert all(sb.approvals.get(one).is_pending for one in ids.values())
        about = ("olga", "--project", PROJECT, "--role", "operator")
        manage(server, clock, "create_user", *about)
        link = ("--project", PROJECT, "--user", "olga", "--base-url", server.url)
        printed = manage(server, clock, "signin_link", *link)
        (link_of,) = [one for one in printed.split() if "/signin/" in one]
        context = chromium.new_context(storage_state=signed_in(chromium, link_of))
        page = context.new_page()
        decide(page, server, ids["send_mail"], "Approve…")
        decide(page, server, ids["refund"], "Edit the arguments…", '{"amount": 249}')
        context.close()

        for one in map(sb.approvals.get, ids.values()):
            decided = datetime.fromisoformat((one.outcome or {})["decided_at"])
            later = decided - datetime.fromisoformat(one.created_at)
            assert later >= timedelta(days=4)
        assert go_on(run_by) == f"{THREAD} went on with 2 answers.\n"
        assert go_on(run_by) == ""

        (session,) = sb.sessions.list(external_id=THREAD).data
        found = sb.sessions.effects(session.id).data
        assert sb.sessions.verify(session.id).valid
    assert sorted(session.state["done"]) == [
        *("draft-1", "mail-1", "refund-1", "stock-1", "told")
    ]
    assert sorted(calls.read_text().splitlines()) == [
        "draft ann",
        "mail ann Sorry.",
        "refund 249",
        "restock XQ-417",
        "told",
    ]
    assert {(one.tool, one.status, one.attempt) for one in found} == {
        (tool, "done", 1) for tool in ("draft", "send_mail", "refund", "restock")
    }
    assert len(found) == 4
