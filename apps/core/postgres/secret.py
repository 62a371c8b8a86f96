"""Secrets of the installation: each made once, in a file that its owner alone can read.

One is the key that signs console sessions, one signs notes, the others are the
passwords of the database's roles.
"""

import os
import secrets
from collections.abc import Callable
from pathlib import Path

from apps.core.postgres.errors import DataFolderUnusable
from apps.core.postgres.folders import give_to_owner_of, make_folder


def _random() -> str:
    return secrets.token_urlsafe(48)


def kept_secret(path: Path) -> str | None:
    """Return the secret kept in `path`; None if the caller finds or may read none."""
    try:
        return path.read_text(encoding="ascii").strip() or None
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None


def made_secret(path: Path, *, make: Callable[[], str] = _random) -> str:
    """Return the secret kept in `path`, making it if there is none.

    Processes that ask at the same time get the same one: each writes one of its own
    under another name, and only the first can link it to `path`.

    Raises: DataFolderUnusable.
    """
    try:
        if not path.exists():
            make_folder(path.parent)
            _offer(path, make())
        secret = path.read_text(encoding="ascii").strip()
    except OSError as error:
        raise DataFolderUnusable(f"Cannot use {path.name}: {error}.") from error
    if not secret:
        raise DataFolderUnusable(f"{path} is empty: remove it to get a new one.")
    return secret


def _offer(path: Path, secret: str) -> None:
    own = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        descriptor = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            give_to_owner_of(path.parent, descriptor)
            file.write(f"{secret}\n")
            file.flush()
            os.fsync(descriptor)
        os.link(own, path)
    except FileExistsError:
        return
    finally:
        own.unlink(missing_ok=True)
