"""Exports by both clients and the command line, made by a real worker."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stepback import calls
from stepback.cli.__main__ import main
from stepback.errors import NotFound
from stepback.folders import FileChanged
from tests.live import Server
from tests.worker.processes import working


@pytest.fixture(scope="module")
def admin_key(live: Server) -> str:
    return live.key("stepback-client", "--scope", "admin")


@pytest.fixture
def admin(connect: Any, admin_key: str) -> Any:
    return connect(api_key=admin_key)


@pytest.fixture(scope="module")
def worker(live: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A worker beside the server, for the tests here alone."""
    log = tmp_path_factory.mktemp("worker") / "log"
    with working(live.dsn, log, STEPBACK_SWEEP_SECONDS="2"):
        yield


def test_one_is_asked_for_waited_for_and_downloaded(
    admin: Any, session: Any, worker: None, tmp_path: Path
) -> None:
    export = admin.exports.ask("session", session_id=session.id)
    assert export.is_making
    assert (export.session_id, export.unmasked) == (session.id, False)

    made = admin.exports.wait(export.id, interval=0.2)

    assert made.is_ready
    file = tmp_path / "session.zip"
    assert admin.exports.download(made.id, file) == made.bytes
    assert hashlib.sha256(file.read_bytes()).hexdigest() == made.sha256
    with zipfile.ZipFile(file) as archive:
        assert json.loads(archive.read("session.json"))["id"] == session.id
    assert made.id in [one.id for one in admin.exports.list(limit=100).data]


def test_of_one_that_is_not_there_no_file_is_written(
    admin: Any, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    export = admin.exports.ask("person", user_id="nobody-yet")
    if admin.exports.get(export.id).is_making:
        with pytest.raises(NotFound):
            admin.exports.download(export.id, file)
    with pytest.raises(NotFound):
        admin.exports.download(f"xprt_{'0' * 26}", file)
    assert list(tmp_path.iterdir()) == []


def test_what_was_changed_on_its_way_is_refused(
    admin: Any, session: Any, worker: None, tmp_path: Path, monkeypatch: Any
) -> None:
    made = admin.exports.wait(
        admin.exports.ask("session", session_id=session.id).id, interval=0.2
    )

    def changed(call: Any, response: Any, key: Any) -> Any:
        found = result_of(call, response, key)
        return found[:-1] + b"?" if call.is_raw else found

    result_of = calls.result_of
    monkeypatch.setattr(calls, "result_of", changed)
    with pytest.raises(FileChanged):
        admin.exports.download(made.id, tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_takes_out(
    live: Server,
    admin_key: str,
    session: Any,
    agent_id: str,
    worker: None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = ["--url", live.url, "--key", admin_key, "take-out"]
    file = tmp_path / "lines.jsonl"
    ask = ["trajectories", str(file), "--agent", agent_id, "--interval", "0.2"]
    assert main([*given, *ask]) == 0, capsys.readouterr().err
    assert "Not in it: 1 nothing_said" in capsys.readouterr().out
    assert file.read_bytes() == b""

    archive = tmp_path / "session.zip"
    ask = ["session", str(archive), "--session", session.id, "--interval", "0.2"]
    assert main([*given, *ask]) == 0, capsys.readouterr().err
    assert zipfile.is_zipfile(archive)

    assert main([*given, "session", str(file)]) == 1
    assert "of whom" in capsys.readouterr().err
