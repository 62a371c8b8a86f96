"""Files of a folder, cut into chunks by their SHA-256, and written back into one.

Nothing here connects. Symbolic links and what is no regular file are neither read nor
followed, and a path that leads out of the folder is refused.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from stepback.failures import StepbackError

CHUNK = 8 * 1024 * 1024


class UnsafePath(StepbackError):
    """The path of a file of a version leads out of the folder."""


class UnsavableName(StepbackError):
    """The name of a file is no text that a version can hold."""


class FileChanged(StepbackError):
    """A file, or what came in its place, is not what its SHA-256 says."""


@dataclass(frozen=True)
class Chunk:
    """Where bytes of one SHA-256 stand."""

    file: Path
    start: int
    size: int
    sha256: str

    def read(self) -> bytes:
        """Raises: FileChanged, where it was written to since it was hashed."""
        with self.file.open("rb") as opened:
            opened.seek(self.start)
            data = opened.read(self.size)
        return checked(data, self.sha256, str(self.file))


@dataclass(frozen=True)
class Scanned:
    """The files of a folder as a version names them, and where each chunk is."""

    artifacts: list[dict[str, Any]]
    chunks: dict[str, Chunk]


def scan(folder: str | os.PathLike[str]) -> Scanned:
    """Read and hash all files below a folder, in the order of their paths.

    Raises: OSError; UnsavableName before anything is read.
    """
    root = Path(folder)
    if not root.is_dir():
        raise NotADirectoryError(f"{root} is no folder.")
    artifacts, chunks = [], {}
    files = [(file, _path(file, root)) for file in sorted(_files(root))]
    for file, path in files:
        found = list(_chunks(file))
        chunks.update({one.sha256: one for one in found})
        named = [{"sha256": one.sha256, "size": one.size} for one in found]
        artifacts.append(
            {
                "path": path,
                "mode": stat.S_IMODE(file.stat().st_mode) & 0o777,
                "size": sum(one.size for one in found),
                "chunks": named,
            }
        )
    return Scanned(artifacts, chunks)


def checked(data: bytes, sha256: str, where: str) -> bytes:
    """Return bytes that have this SHA-256.

    Raises: FileChanged.
    """
    if hashlib.sha256(data).hexdigest() != sha256:
        raise FileChanged(f"{where} is not what its SHA-256 says.")
    return data


def place(folder: str | os.PathLike[str], path: str) -> Path:
    """Return where a file of a version goes; the folders above it are made.

    Raises: UnsafePath, also where a symbolic link would lead out of the folder.
    """
    root = Path(folder).resolve()
    parts = path.split("/")
    if any(one in ("", ".", "..") or _is_odd(one) for one in parts):
        raise UnsafePath(f"{path!r} may lead out of the folder.")
    above = root
    for one in parts[:-1]:
        above = above / one
        if above.is_symlink():
            raise UnsafePath(f"{path!r} goes through a symbolic link.")
        above.mkdir(exist_ok=True)
    return above / parts[-1]


def is_there(file: Path, chunks: list[dict[str, Any]]) -> bool:
    """Say whether a file is there already, byte by byte."""
    if file.is_symlink() or not file.is_file():
        return False
    return [one.sha256 for one in _chunks(file)] == [one["sha256"] for one in chunks]


def set_mode(file: Path, mode: int | None) -> bool:
    """Give a file that is there its mode; say whether it had another."""
    # What was saved without one, and Windows, has nothing to compare.
    wanted = None if mode is None or os.name == "nt" else mode & 0o777
    if wanted is None or stat.S_IMODE(file.stat().st_mode) & 0o777 == wanted:
        return False
    os.chmod(file, wanted)
    return True


def begin(file: Path) -> IO[bytes]:
    """Open a new file beside the place of another; close it, then `finish` it."""
    made: Any = tempfile.NamedTemporaryFile(  # noqa: SIM115 - the caller closes it
        dir=file.parent, prefix=".stepback-", delete=False
    )
    opened: IO[bytes] = made
    return opened


def finish(beside: str, file: Path, mode: int | None) -> None:
    """Move a file that is whole to its place."""
    # A temporary file may be read by its owner alone.
    os.chmod(beside, 0o644 if mode is None else mode & 0o777)
    os.replace(beside, file)


def _is_odd(part: str) -> bool:
    return any(one in part for one in ("\0", "\\")) or (os.name == "nt" and ":" in part)


def _path(file: Path, root: Path) -> str:
    """Return the path of a file as a version names it.

    Raises: UnsavableName.
    """
    path = file.relative_to(root).as_posix()
    try:
        path.encode()
    except UnicodeEncodeError:
        shown = path.encode("utf-8", "backslashreplace").decode()
        raise UnsavableName(
            f"The name of {shown} is not UTF-8: give the file another."
        ) from None
    return path


def _files(root: Path) -> Iterator[Path]:
    for above, _, names in os.walk(root, followlinks=False):
        for name in names:
            file = Path(above) / name
            if stat.S_ISREG(file.lstat().st_mode):
                yield file


def _chunks(file: Path) -> Iterator[Chunk]:
    start = 0
    with file.open("rb") as opened:
        while data := opened.read(CHUNK):
            yield Chunk(file, start, len(data), hashlib.sha256(data).hexdigest())
            start += len(data)
