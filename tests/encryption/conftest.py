"""What the tests of encryption share: keys outside the database, and a project."""

import base64
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from apps.accounts import encryption
from apps.accounts import operations as accounts
from apps.accounts.models import Project
from apps.core.keyring import MEMORY
from tests.acts import act_by
from tests.live import COMMANDS


def line(key_id: str) -> str:
    """Return a new key-encryption key as it stands in a file of keys."""
    return f"{key_id} {base64.b64encode(secrets.token_bytes(32)).decode()}\n"


def forget() -> None:
    """Have this process know no unwrapped key, as one that was just started."""
    MEMORY.forget()
    encryption.forget()


@contextmanager
def served_keys(folder: Path) -> Iterator[Path]:
    """Have processes that are started in the block find a key `first` in a file."""
    file = folder / "keys"
    file.write_text(line("first"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STEPBACK_KEYS", f"file:{file}")
        # It has read the environment already, if it runs.
        COMMANDS.stop()
        yield file
    COMMANDS.stop()


@pytest.fixture
def keys(tmp_path: Path, settings: Any) -> Iterator[Path]:
    """Keep one key-encryption key, `first`, in a file."""
    file = tmp_path / "keys"
    file.write_text(line("first"))
    settings.KEYS = f"file:{file}"
    forget()
    yield file
    forget()


@pytest.fixture
def encrypted(project: Project, keys: Path) -> Project:
    """Have the project of the test encrypt."""
    accounts.encrypt_project(act=act_by(), project=project)
    project.refresh_from_db()
    return project
