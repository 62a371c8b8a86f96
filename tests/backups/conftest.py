"""A place for backups, and a dump that is none of a database."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from apps.backups.making import Wanted

Dump = Callable[[Path], object]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "backups"


@pytest.fixture
def wanted(folder: Path, tmp_path: Path, settings: Any) -> Wanted:
    """Say where they go; the journal and the work are in a folder of their own."""
    data = tmp_path / "var"
    data.mkdir()
    settings.LOCATION = replace(settings.LOCATION, data_dir=data)
    settings.ERASURES = data / "erasures"
    return Wanted(where=str(folder))


@pytest.fixture
def dump() -> Dump:
    return lambda file: file.write_bytes(b"a database " * 1000)
