"""The journal of erasures beside the backups: without it they bring people back.

An entry is never changed, so what has its name there is what it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from apps.backups.places import Place
from apps.core.notes import keys
from apps.core.notes.errors import NumberTaken
from apps.core.notes.folder import Folder

_NAME = re.compile(r"erasure-(\d{12})\.note")


def copy_to(kept: Place) -> int:
    """Copy the entries that are not there yet; return how many.

    Raises: BackupFailed.
    """
    folder = Folder(keys.erasures_path())
    there = set(_numbers(kept))
    missing = [n for n in range(1, folder.newest() + 1) if n not in there]
    for number in missing:
        kept.put(_name(number), folder.file_of(number))
    return len(missing)


def fetch_from(kept: Place) -> int:
    """Fetch the entries that are missing here; return how many.

    Raises: BackupFailed, OSError, DataFolderUnusable.
    """
    folder = Folder(keys.erasures_path())
    folder.make()
    fetched = 0
    for number in sorted(_numbers(kept)):
        if folder.read(number) is not None:
            continue
        try:
            folder.write(number, b"".join(kept.read(_name(number))))
        except NumberTaken:
            continue
        fetched += 1
    return fetched


def _numbers(kept: Place) -> Iterator[int]:
    for name in kept.names():
        if found := _NAME.fullmatch(name):
            yield int(found[1])


def _name(number: int) -> str:
    return f"erasure-{number:012d}.note"
