"""A folder is saved with a version and restored from it, by both clients."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from stepback import Conflict, ConnectionFailed, Stepback, folders
from stepback.calls import request_of
from stepback.errors import BlobMissing
from stepback.folders import FileChanged, UnsafePath, UnsavableName
from tests.live import Server
from tests.races.dropping_proxy import dropping


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "work"
    (made / "out").mkdir(parents=True)
    (made / "out" / "report.txt").write_bytes(os.urandom(300_000))
    (made / "run.sh").write_text("#!/bin/sh\n")
    (made / "run.sh").chmod(0o755)
    (made / "empty").touch()
    (made / "two\nlines?#%.txt").write_text("odd")
    (made / "elsewhere").symlink_to("/etc")
    return made


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[httpx.Request]:
    """What is sent from now on."""
    found: list[httpx.Request] = []

    def noting(*given: Any) -> httpx.Request:
        found.append(request_of(*given))
        return found[-1]

    monkeypatch.setattr("stepback.calls.request_of", noting)
    return found


def read(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(one.relative_to(folder)): (one.read_bytes(), one.stat().st_mode & 0o777)
        for one in folder.rglob("*")
        if one.is_file() and not one.is_symlink()
    }


def test_what_is_saved_is_restored_wherever_and_once_more(
    sb: Any, session: Any, folder: Path, tmp_path: Path, sent: list[httpx.Request]
) -> None:
    saved = sb.save_files(session.id, folder, "Done for today.", artifacts=["note"])
    target = tmp_path / "new" / "place"

    written = sb.restore_files(session.id, target, saved.version)

    assert read(target) == read(folder)
    named = ["empty", "out/report.txt", "run.sh", "two\nlines?#%.txt"]
    assert sorted(written) == named
    (target / "run.sh").write_text("broken")
    assert sb.restore_files(session.id, target, saved.version) == ["run.sh"]
    assert read(target) == read(folder)
    (target / "run.sh").chmod(0o600)
    assert sb.restore_files(session.id, target, saved.version) == ["run.sh"]
    assert read(target) == read(folder)
    assert sb.sessions.checkpoint(session.id).artifacts[-1] == "note"


def test_only_what_changed_is_sent(
    sb: Any, session: Any, folder: Path, sent: list[httpx.Request]
) -> None:
    sb.save_files(session.id, folder)
    sent.clear()
    changed = os.urandom(99)
    (folder / "run.sh").write_bytes(changed)

    sb.save_files(session.id, folder)

    uploads = [one for one in sent if one.method == "PUT"]
    assert [one.content for one in uploads] == [changed]


def test_what_was_collected_meanwhile_is_sent_once_more(
    sb: Any, session: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "new").write_bytes(os.urandom(99))
    # As if the server had said that it has all of it.
    for kind in ("_sync.files.Files", "_async.files.AsyncFiles"):
        answer = no_more if kind.startswith("_sync") else none_later
        monkeypatch.setattr(f"stepback.{kind}._missing", answer)

    saved = sb.save_files(session.id, folder, idempotency_key=f"save-{session.id}")

    assert sb.restore_files(session.id, folder, saved.version) == []


def test_a_save_whose_answer_was_lost_is_repeated_under_its_key(
    live: Server, connect: Any, sb: Any, session: Any, folder: Path
) -> None:
    with dropping(live.url, lambda key: "after" if key else None) as proxy:
        once = connect(base_url=proxy.url, retries=0)
        with pytest.raises(ConnectionFailed) as lost:
            once.save_files(session.id, folder, expected_version=5)

    key = lost.value.idempotency_key
    again = sb.save_files(session.id, folder, expected_version=5, idempotency_key=key)

    assert again.version == 6 == sb.sessions.get_state(session.id).version
    with pytest.raises(Conflict):
        sb.save_files(session.id, folder, expected_version=5)


def no_more(*_: Any) -> list[str]:
    return []


async def none_later(*_: Any) -> list[str]:
    return []


def test_a_path_that_leads_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (inside / "link").symlink_to(outside)
    for path in ("../a", "/etc/passwd", "a/../../b", "a//b", "..\\a", "a\0b", "link/a"):
        with pytest.raises(UnsafePath):
            folders.place(inside, path)
    assert not list(outside.iterdir())
    assert folders.place(inside, "a/b") == inside.resolve() / "a" / "b"


def test_what_does_not_have_its_digest_is_not_put_in_place(
    sb: Any, session: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = sb.save_files(session.id, folder)

    def refuse(*_: Any) -> bytes:
        raise FileChanged("damaged")

    monkeypatch.setattr(folders, "checked", refuse)
    with pytest.raises(FileChanged):
        sb.restore_files(session.id, tmp_path / "new", saved.version)

    assert list((tmp_path / "new" / "out").iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes there")
def test_a_name_that_is_no_text_is_named_before_anything_is_sent(
    sb: Any, session: Any, folder: Path, sent: list[httpx.Request]
) -> None:
    (folder / "out" / os.fsdecode(b"caf\xe9.txt")).write_text("x")

    with pytest.raises(UnsavableName, match=r"out/caf\\udce9\.txt is not UTF-8"):
        sb.save_files(session.id, folder)

    assert sent == []


def test_a_file_that_changes_while_it_is_saved_is_said(folder: Path) -> None:
    found = folders.scan(folder)
    (folder / "run.sh").write_text("changed")

    (script,) = (one for one in found.chunks.values() if one.file.name == "run.sh")
    with pytest.raises(FileChanged):
        script.read()


def test_a_blob_that_nobody_has_is_named(sb: Any, session: Any) -> None:
    chunk = {"sha256": "0" * 64, "size": 1}
    with pytest.raises(BlobMissing) as caught:
        sb.sessions.update_state(
            session.id, artifacts=[{"path": "a", "chunks": [chunk]}]
        )

    assert caught.value.digests == ("0" * 64,)


class Shelf:
    """Stands where the server is: keeps bytes, and counts what is sent."""

    def __init__(self) -> None:
        self.kept: set[str] = set()
        self.sent = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.sent += len(request.content)
        if request.method == "POST":
            asked = json.loads(request.content)["digests"]
            return httpx.Response(
                200, json={"missing": [one for one in asked if one not in self.kept]}
            )
        if request.method == "PUT":
            self.kept.add(request.url.path.rpartition("/")[2])
            return httpx.Response(201, json={})
        return httpx.Response(200, json=STATE)


STATE = {
    "session_id": "sess_1",
    "version": 1,
    "state": {},
    "created_at": "2026-01-01T00:00:00Z",
    "updated_at": "2026-01-01T00:00:00Z",
    "trace_id": "trace_1",
    "hold": "open",
    "last_rollback": None,
}


def test_of_a_thousand_files_the_changed_one_is_nearly_all_that_is_sent(
    tmp_path: Path,
) -> None:
    for number in range(999):
        (tmp_path / f"f{number}").write_text(f"file {number}")
    size = 4 * 1024 * 1024
    (tmp_path / "large").write_bytes(os.urandom(size))
    shelf = Shelf()
    http = httpx.Client(
        transport=httpx.MockTransport(shelf), base_url="http://localhost"
    )
    with Stepback("sb_key", http_client=http) as client:
        client.save_files("sess_1", tmp_path)
        (tmp_path / "large").write_bytes(os.urandom(size))
        before = shelf.sent

        client.save_files("sess_1", tmp_path)

    assert len(shelf.kept) == 1_001
    assert size < shelf.sent - before <= 1.2 * size
