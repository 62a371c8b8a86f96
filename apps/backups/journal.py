"""The journal of erasures beside the backups: without it they bring people back.

An entry is never changed, so what has its name there is what it was.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from apps.backups.errors import BackupFailed
from apps.backups.names import made_at
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
    there = set(_numbers(kept.names()))
    _require_ours(folder, kept, there)
    missing = [n for n in range(1, folder.newest() + 1) if n not in there]
    for number in missing:
        kept.put(_name(number), folder.file_of(number))
    return len(missing)


def _require_ours(folder: Folder, kept: Place, there: Collection[int]) -> None:
    """Compare the newest entry that both have: each names those before it.

    Raises: BackupFailed.
    """
    number = max((one for one in there if one <= folder.newest()), default=0)
    if number and b"".join(kept.read(_name(number))) != folder.read(number):
        raise BackupFailed(
            f"There is another journal of erasures beside the backups: its entry "
            f"{number:,} is not ours. Move it away, or keep backups elsewhere."
        )


def fetch_from(kept: Place) -> int:
    """Fetch the entries that are missing here; return how many.

    Backups without an entry beside them say that nobody was erased. A place that has
    neither says nothing: it may be a disk that is not mounted.

    Raises: BackupFailed, OSError, DataFolderUnusable.
    """
    folder = Folder(keys.erasures_path())
    names = kept.names()
    numbers = sorted(_numbers(names))
    if not numbers and all(made_at(name) is None for name in names):
        return 0
    folder.make()
    fetched = 0
    for number in numbers:
        if folder.read(number) is not None:
            continue
        try:
            folder.write(number, b"".join(kept.read(_name(number))))
        except NumberTaken:
            continue
        fetched += 1
    return fetched


def _numbers(names: Iterable[str]) -> Iterator[int]:
    for name in names:
        if found := _NAME.fullmatch(name):
            yield int(found[1])


def _name(number: int) -> str:
    return f"erasure-{number:012d}.note"
