"""Where backups are kept: a folder, or a bucket of anything that speaks S3.

Both take a whole file under a name of ours, tell what is there, read it back in pieces
and delete it. A file that has its name is whole.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

from apps.backups.errors import BackupFailed, BackupsMisconfigured
from apps.core.postgres.folders import sync_folder

S3 = "s3://"
PIECE = 1 << 20
UNFINISHED = ".unfinished"
# A store that is away is told of soon, and tried again by the next run.
TIMEOUT = timedelta(seconds=60)
RETRIES = 3


class Place(Protocol):
    """What keeps backups; names are ours, and never of more than one segment."""

    def put(self, name: str, file: Path) -> None:
        """Keep a file, durable when this returns. Raises: BackupFailed."""

    def names(self) -> list[str]:
        """Return the names of all files that are whole. Raises: BackupFailed."""

    def read(self, name: str) -> Iterator[bytes]:
        """Yield what a file holds, in pieces. Raises: BackupFailed."""

    def delete(self, name: str) -> None:
        """Delete a file, if it is there. Raises: BackupFailed."""


def place(where: str) -> Place:
    """Return the place that a setting names: a path, or `s3://bucket/prefix`.

    Raises: BackupsMisconfigured.
    """
    if where.startswith(S3):
        return Bucket.of(where)
    if "://" in where:
        raise BackupsMisconfigured(
            f"STEPBACK_BACKUPS is a folder or begins with {S3}, not {where!r}."
        )
    return Directory(Path(where).expanduser().absolute())


def digest_of(file: Path) -> str:
    """Return the SHA-256 of a file here, in hexadecimal digits."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def digest(kept: Place, name: str) -> tuple[str, int]:
    """Read a file back; return its SHA-256 and how many bytes it has."""
    hashed, size = hashlib.sha256(), 0
    for piece in kept.read(name):
        hashed.update(piece)
        size += len(piece)
    return hashed.hexdigest(), size


@dataclass(frozen=True, slots=True)
class Directory:
    """A folder: a file is written beside its name, made durable, and then named."""

    path: Path

    def put(self, name: str, file: Path) -> None:
        own = self.path / f".{name}.{secrets.token_hex(4)}{UNFINISHED}"
        with _told(f"write to {self.path}"):
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._clear()
            try:
                with file.open("rb") as source, own.open("xb") as target:
                    os.fchmod(target.fileno(), 0o600)
                    shutil.copyfileobj(source, target, PIECE)
                    target.flush()
                    os.fsync(target.fileno())
                # A link, because renaming would replace a file that came meanwhile.
                os.link(own, self.path / name)
            finally:
                own.unlink(missing_ok=True)
            sync_folder(self.path)

    def names(self) -> list[str]:
        with _told(f"read {self.path}"):
            if not self.path.exists():
                return []
            return [one.name for one in self.path.iterdir() if one.is_file()]

    def read(self, name: str) -> Iterator[bytes]:
        with _told(f"read {self.path / name}"), (self.path / name).open("rb") as file:
            while piece := file.read(PIECE):
                yield piece

    def delete(self, name: str) -> None:
        with _told(f"delete {self.path / name}"):
            (self.path / name).unlink(missing_ok=True)

    def _clear(self) -> None:
        """Delete what one that was killed left; nobody else writes at this moment."""
        for left in self.path.glob(f".stepback-*{UNFINISHED}"):
            left.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket, or what is below a prefix of one; a file appears when it is whole.

    Region, endpoint and credentials come from AWS's usual variables.
    """

    where: str
    store: Any

    @classmethod
    def of(cls, where: str) -> Bucket:
        from apps.core.objects import AddressRefused, opened

        try:
            found = opened(where, timeout=TIMEOUT, retries=RETRIES, retry_for=TIMEOUT)
        except AddressRefused as error:
            raise BackupsMisconfigured(
                f"STEPBACK_BACKUPS cannot be used: {error}"
            ) from error
        return cls(where, found.store)

    def put(self, name: str, file: Path) -> None:
        with _told(f"write to {self.where}"):
            self.store.put(name, file)

    def names(self) -> list[str]:
        with _told(f"read {self.where}"):
            found = self.store.list_with_delimiter()
            return [str(one["path"]).rpartition("/")[2] for one in found["objects"]]

    def read(self, name: str) -> Iterator[bytes]:
        with _told(f"read {name} of {self.where}"):
            for piece in self.store.get(name).stream(min_chunk_size=PIECE):
                yield bytes(piece)

    def delete(self, name: str) -> None:
        with _told(f"delete {name} of {self.where}"):
            self.store.delete(name)


@contextmanager
def _told(doing: str) -> Iterator[None]:
    """Turn what a file system or a store says into one sentence."""
    from obstore.exceptions import BaseError

    try:
        yield
    except OSError as error:
        raise BackupFailed(f"Cannot {doing}: {error.strerror or error}.") from error
    except BaseError as error:
        raise BackupFailed(f"Cannot {doing}: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:300]
