"""The files of notes: one each, numbered from 1 without holes, never written again.

A thousand share a folder: `000000000/000000000042.note`, and beside it the leaves of
its tree, named by their root as well: leaves that somebody left who was killed before
the note are in nobody's way. A file appears whole or not at all: it is written beside,
made durable and linked to its name, which fails where that is taken.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from apps.core.notes.errors import NumberTaken
from apps.core.postgres.folders import give_to_owner_of, make_folder, sync_folder

PER_FOLDER = 1_000
NOTE = ".note"
LEAVES = ".leaves"
UNFINISHED = ".unfinished"
# Notes have ids of sessions and projects, for nobody but who runs this; a web server
# that runs as another user reads them by its group.
FOLDER_MODE = 0o750
FILE_MODE = 0o640


@dataclass(frozen=True, slots=True)
class Folder:
    """The folder `roots` of an installation."""

    path: Path

    def file_of(self, number: int) -> Path:
        return self.path / name_of(number)

    def read_leaves(self, number: int, root: bytes) -> bytes | None:
        """Return the leaves with this root; None where there are none.

        Raises: OSError, where they may not be read.
        """
        try:
            return (self.path / name_of_leaves(number, root)).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def write_leaves(self, number: int, root: bytes, leaves: bytes) -> None:
        """Keep the leaves of a note, before the note itself; twice is once.

        Raises: NumberTaken where others have that name, OSError, DataFolderUnusable.
        """
        try:
            self._write(self.path / name_of_leaves(number, root), leaves)
        except FileExistsError as error:
            if self.read_leaves(number, root) != leaves:
                raise NumberTaken(f"Note {number} has other leaves already.") from error

    def read(self, number: int) -> bytes | None:
        """Return a note; None where there is none.

        Raises: OSError, where it may not be read.
        """
        try:
            return self.file_of(number).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def newest(self) -> int:
        """Return the number of the newest note; 0 where there is none."""
        for folder in sorted(_names(self.path, ""), reverse=True):
            found = _names(self.path / folder, NOTE)
            if found:
                return int(max(found).removesuffix(NOTE))
        return 0

    def write(self, number: int, note: bytes) -> None:
        """Keep a note, durable when this returns.

        Raises: NumberTaken, OSError, DataFolderUnusable.
        """
        try:
            self._write(self.file_of(number), note)
        except FileExistsError as error:
            raise NumberTaken(f"There is a note {number} already.") from error

    def make(self) -> None:
        """Make the folder, where it is missing.

        Raises: DataFolderUnusable, OSError.
        """
        if not self.path.exists():
            make_folder(self.path.parent)
            _make(self.path)

    def _write(self, file: Path, data: bytes) -> None:
        if not file.parent.exists():
            self.make()
            _make(file.parent)
            sync_folder(self.path)
        own = self.path / f"{file.stem}.{secrets.token_hex(8)}{UNFINISHED}"
        try:
            _write(own, data)
            os.link(own, file)
        finally:
            own.unlink(missing_ok=True)
        sync_folder(file.parent)

    def tidy(self) -> None:
        """Remove what somebody left who was killed while writing."""
        for left in self.path.glob(f"*{UNFINISHED}"):
            left.unlink(missing_ok=True)


def name_of(number: int) -> str:
    """Return the name of a note below the folder."""
    return f"{number // PER_FOLDER:09d}/{number:012d}{NOTE}"


def name_of_leaves(number: int, root: bytes) -> str:
    """Return the name of the leaves of a note below the folder."""
    return f"{number // PER_FOLDER:09d}/{number:012d}.{root.hex()}{LEAVES}"


def _make(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    folder.chmod(FOLDER_MODE)


def _names(folder: Path, ending: str) -> list[str]:
    try:
        names = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [
        name
        for name in names
        if name.endswith(ending) and name.removesuffix(ending).isdecimal()
    ]


def _write(file: Path, note: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    descriptor = os.open(file, flags, FILE_MODE)
    with os.fdopen(descriptor, "wb") as opened:
        give_to_owner_of(file.parent, descriptor)
        opened.write(note)
        opened.flush()
        os.fsync(descriptor)
