"""Recorded runs are stored whole: posted over HTTP, read back, compared exactly.

The recorded ones are named by STEPBACK_RUNS; runs made by hand test the comparison.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.live import Server
from tests.replay import runs
from tests.replay.__main__ import main
from tests.replay.differences import Difference
from tests.replay.doors import Doors
from tests.replay.make import make_file, make_run
from tests.replay.posting import post
from tests.replay.replaying import Summary, replay
from tests.replay.runs import Run
from tests.replay.verifying import Counted, verify

RECORDED = os.environ.get("STEPBACK_RUNS")
VERSIONS, TURNS, CALLS = 9, 8, 6


@pytest.fixture(scope="session")
def secret(live: Server) -> str:
    return live.key("replay")


@pytest.fixture
def doors(live: Server, secret: str) -> Any:
    opened = Doors(live.url, secret)
    yield opened
    opened.close()


@pytest.fixture
def run(tmp_path: Path, request: pytest.FixtureRequest) -> Run:
    """A run that no other test posts."""
    return next(runs.read(make_file(tmp_path, make_run(request.node.name))))


def replayed(path: Path, live: Server, secret: str, **options: Any) -> Summary:
    return replay(path, url=live.url, secret=secret, **options)


@pytest.mark.skipif(not RECORDED, reason="STEPBACK_RUNS names no recorded runs")
def test_recorded_runs_are_stored_whole(live: Server, secret: str) -> None:
    path = Path(RECORDED or "")

    summary = replayed(path, live, secret)

    assert len(set(summary.sessions)) == runs.count(path) > 0


def test_runs_made_by_hand_are_stored_whole(
    live: Server, secret: str, tmp_path: Path
) -> None:
    path = make_file(tmp_path, *(make_run(f"hand-{number}") for number in range(6)))

    summary = replayed(path, live, secret, limit=5)

    assert len(set(summary.sessions)) == 5
    assert (summary.versions, summary.turns) == (5 * VERSIONS, 5 * TURNS)
    assert "5 runs, 45 versions, 40 turns (30 of them tool calls)" in str(summary)


def test_posting_a_run_again_changes_nothing(run: Run, doors: Doors) -> None:
    session_id = post(run, doors)
    before = doors.read(f"/v1/sessions/{session_id}")

    again = post(run, doors)

    assert again == session_id
    assert doors.read(f"/v1/sessions/{session_id}") == before
    counted = verify(run, session_id, doors, backwards=True)
    assert counted == Counted(VERSIONS, TURNS, CALLS)


def test_lost_answers_lose_and_double_nothing(
    run: Run, doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each answer is lost once, after the server has done what was asked."""
    answered = httpx.HTTPTransport.handle_request
    lost: set[str | None] = set()

    def losing(transport: httpx.HTTPTransport, request: httpx.Request) -> Any:
        response = answered(transport, request)
        key = request.headers.get("Idempotency-Key")
        if key in lost:
            return response
        lost.add(key)
        response.close()
        raise httpx.ReadError("the answer was lost", request=request)

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", losing)
    session_id = post(run, doors)
    monkeypatch.undo()

    assert len(lost) == VERSIONS + CALLS
    counted = verify(run, session_id, doors, backwards=True)
    assert counted == Counted(VERSIONS, TURNS, CALLS)


def test_one_version_too_many_is_found(run: Run, doors: Doors) -> None:
    session_id = post(run, doors)
    doors.sdk.sessions.update_state(session_id, {"status": "tampered"})

    with pytest.raises(Difference, match=r"number of versions.* 9 was expected, 10"):
        verify(run, session_id, doors, backwards=False)


def test_one_turn_too_many_is_found(run: Run, doors: Doors) -> None:
    session_id = post(run, doors)
    doors.sdk.sessions.add_turn(session_id, "psst", "no")

    with pytest.raises(Difference, match=r"number of turns.* 8 was expected, 9"):
        verify(run, session_id, doors, backwards=False)


@pytest.mark.parametrize(
    ("at", "key", "value", "says"),
    [
        (0, "content", "You help.", "checkpoint of version 1, at /messages/0/content"),
        (
            9,
            "content",
            "Error: go",
            "checkpoint of version 3, at /tool_results/call_1#",
        ),
        (16, "content", "You will get a $51 voucher.", "version 7, at /state/promised"),
        (17, "content", "Thanks", "checkpoint of version 8, at /messages/17/content"),
    ],
)
def test_a_session_that_differs_from_the_run_is_found(
    at: int, key: str, value: str, says: str, run: Run, doors: Doors
) -> None:
    session_id = post(run, doors)
    run.messages[at][key] = value

    with pytest.raises(Difference) as found:
        verify(run, session_id, doors, backwards=False)

    assert says in str(found.value)
    assert str(found.value).startswith(f"{run.name} ({session_id}), ")


def test_the_command_prints_what_it_did(
    live: Server, secret: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = make_file(tmp_path, make_run("command"))

    status = main([str(path), "--url", live.url, "--key", secret, "--threads", "1"])

    assert status == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("1 runs, 9 versions, 8 turns")
    assert "posted 1 of 1 runs" in printed.err


def test_the_command_fails_with_the_first_difference(
    live: Server,
    secret: str,
    doors: Doors,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = make_file(tmp_path, make_run("good"), make_run("touched"))
    _, touched = runs.read(path)
    doors.sdk.sessions.update_state(post(touched, doors), {"status": "tampered"})

    status = main([str(path), "--url", live.url, "--key", secret])

    assert status == 1
    assert "Difference: touched (sess_" in capsys.readouterr().err


def test_the_command_says_why_a_server_refused(
    live: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = make_file(tmp_path, make_run("refused"))

    status = main([str(path), "--url", live.url, "--key", "sb_nobody"])

    assert status == 1
    assert "401" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["nowhere.jsonl"],
        [__file__, "--url", "http://127.0.0.1"],
        [__file__, "--limit=0"],
    ],
)
def test_wrong_usage_is_told_before_anything_starts(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)

    assert stopped.value.code == 2
    assert "usage: python -m tests.replay" in capsys.readouterr().err
