"""When `up` has a backup made, and the journal of erasures copied."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from apps.core.notes import keys
from apps.core.notes.folder import Folder
from apps.server import daily


class Ended:
    """A process that has done all at once."""

    returncode = 0
    started = 0

    def __init__(self, *given: Any, **named: Any) -> None:
        Ended.started += 1

    def poll(self) -> int:
        return 0


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.setattr(keys, "erasures_path", lambda: tmp_path / "erasures")
    monkeypatch.setattr(daily.subprocess, "Popen", Ended)
    monkeypatch.setattr(daily, "environment", lambda *given, **named: {})
    monkeypatch.setattr(daily, "url_of", lambda role: "")
    Ended.started = 0
    folder = Folder(tmp_path / "erasures")
    folder.make()
    return folder


def test_what_was_erased_is_copied_before_the_hour_is_over(journal: Folder) -> None:
    now = 0.0
    looking = daily.Daily(lambda said: None, clock=lambda: now)

    def looked_for(seconds: float) -> int:
        nonlocal now
        before = Ended.started
        for _ in range(int(seconds)):
            now += 1
            looking.look()
        return Ended.started - before

    assert looked_for(60) == 1
    assert looked_for(60) == 0
    journal.write(1, b"note")
    assert looked_for(10) == 1
    assert looked_for(60) == 0
    assert looked_for(3600) == 1
