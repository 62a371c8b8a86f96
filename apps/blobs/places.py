"""Where the bytes are: `STEPBACK_OBJECTS`, or the folder `objects` beside the data.

A folder that had something in it and has nothing any more is a disk that is not there:
what was deleted leaves folders. Taken for a store, it would answer that objects are
missing, take new ones that its disk then hides, and say of an erased person that all
is gone. That a folder was filled is noted beside the data.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from django.conf import settings

from apps.blobs.errors import ObjectsFull, ObjectsUnavailable
from apps.core.objects import Objects, ObjectsAway, StoreFull, opened

# What this process has noted.
_FILLED = set[Path]()


@cache
def _opened(address: str) -> Objects:
    return opened(address)


def store() -> Objects:
    """Return the store of this process; nothing is asked of it yet.

    Raises: AddressRefused.
    """
    return _opened(settings.OBJECTS or str(settings.LOCATION.data_dir / "objects"))


@contextmanager
def asking() -> Iterator[Objects]:
    """Yield the store; what it cannot do is said in words of the domain.

    Raises: ObjectsFull, ObjectsUnavailable.
    """
    try:
        found = store()
        _require_there(found.folder)
        yield found
        _note(found.folder)
    except StoreFull as error:
        raise ObjectsFull from error
    except ObjectsAway as error:
        raise ObjectsUnavailable from error


def _require_there(folder: Path | None) -> None:
    """Raises: ObjectsAway."""
    if folder is not None and not _has_entries(folder) and _noted(folder).exists():
        raise ObjectsAway(f"{folder} is not there, or is empty and was not.")


def _note(folder: Path | None) -> None:
    """Note that a folder was filled, once a process."""
    if folder is None or folder in _FILLED or not _has_entries(folder):
        return
    _FILLED.add(folder)
    noted = _noted(folder)
    # Who may not write there does without.
    with suppress(OSError):
        noted.parent.mkdir(mode=0o700, exist_ok=True)
        noted.touch()


def _noted(folder: Path) -> Path:
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    return settings.LOCATION.data_dir / "stores" / name


def _has_entries(folder: Path) -> bool:
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is not None
    except OSError:
        return False
