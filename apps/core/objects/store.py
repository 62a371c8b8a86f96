"""What a store of objects does: create, get, range, size, list, delete."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, NotFoundError
from obstore.store import LocalStore, S3Store

from apps.core.objects.errors import ObjectsAway, ObjectTaken, StoreFull
from apps.core.postgres.folders import sync_folder

PAGE = 1_000
# How the library words a device, or somebody's share of it, without space: ENOSPC,
# EDQUOT; and what a store over HTTP answers.
_FULL = ("os error 28)", "os error 122)", "507 Insufficient Storage")


@dataclass(frozen=True, slots=True)
class Objects:
    """One store: a folder, or a bucket below a prefix."""

    store: LocalStore | S3Store
    folder: Path | None = None

    def create(self, name: str, data: bytes) -> None:
        """Keep an object, durable when this returns; one that is there stays.

        In one request, because a store creates nothing of several parts.

        Raises: ObjectTaken, StoreFull, ObjectsAway (also where it may have been kept).
        """
        try:
            obstore.put(self.store, name, data, mode="create", use_multipart=False)
        except AlreadyExistsError as error:
            raise ObjectTaken(f"There is an object {name} already.") from error
        except (BaseError, OSError) as error:
            raise _away(error) from error
        self._make_durable(name)

    def keep(self, name: str, data: bytes) -> None:
        """As `create`, under a name that nobody else writes.

        Where it is taken, a first try was done whose answer did not come, or was that
        of somebody in between: the library had asked again.

        Raises: StoreFull, ObjectsAway (also where what is there is something else).
        """
        try:
            self.create(name, data)
        except ObjectTaken as error:
            if self.get(name) != data:
                raise ObjectsAway(f"{name} is there, and is not whole.") from error
            self._make_durable(name)

    def get(self, name: str) -> bytes | None:
        """Return an object; None where there is none.

        Raises: ObjectsAway.
        """
        try:
            return bytes(obstore.get(self.store, name).bytes())
        except (NotFoundError, FileNotFoundError) as error:
            _require_store(error)
            return None
        except (BaseError, OSError) as error:
            raise _away(error) from error

    def range(self, name: str, start: int, length: int) -> bytes | None:
        """Return bytes of an object, fewer where it ends; None where there is none.

        Raises: ObjectsAway, also where it ends before `start`.
        """
        try:
            found = obstore.get_range(self.store, name, start=start, length=length)
        except (NotFoundError, FileNotFoundError) as error:
            _require_store(error)
            return None
        except (BaseError, OSError) as error:
            raise _away(error) from error
        return bytes(found)

    def size(self, name: str) -> int | None:
        """Return how many bytes an object has; None where there is none.

        Raises: ObjectsAway.
        """
        try:
            return int(obstore.head(self.store, name)["size"])
        except (NotFoundError, FileNotFoundError) as error:
            _require_store(error)
            return None
        except (BaseError, OSError) as error:
            raise _away(error) from error

    def list(self, prefix: str = "") -> Iterator[str]:
        """Yield the names below a prefix of whole segments, in no order.

        Raises: ObjectsAway.
        """
        yield from (name for name, _ in self.sizes(prefix))

    def sizes(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        """As `list`, each name with how many bytes its object has.

        Raises: ObjectsAway.
        """
        try:
            for page in obstore.list(self.store, prefix or None, chunk_size=PAGE):
                yield from ((one["path"], one["size"]) for one in page)
        except (NotFoundError, FileNotFoundError) as error:
            _require_store(error)
            return
        except (BaseError, OSError) as error:
            raise _away(error) from error

    def delete(self, name: str) -> None:
        """Remove an object; one that is not there is no error.

        Raises: ObjectsAway.
        """
        try:
            obstore.delete(self.store, name)
        except (NotFoundError, FileNotFoundError) as error:
            _require_store(error)
            return
        except (BaseError, OSError) as error:
            raise _away(error) from error

    def _make_durable(self, name: str) -> None:
        if self.folder is None:
            return
        file = self.folder / name
        try:
            descriptor = os.open(file, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            sync_folder(file.parent)
        except OSError as error:
            raise _away(error) from error


def _require_store(missing: Exception) -> None:
    """Tell an object that is not there from a bucket that is not.

    Raises: ObjectsAway.
    """
    if "NoSuchBucket" in str(missing):
        raise ObjectsAway("There is no such bucket.") from missing


def _away(error: Exception) -> ObjectsAway:
    """Say why in one line: what libraries say may be pages."""
    said = str(error).strip()
    lines = said.splitlines()
    is_full = getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
    kind = StoreFull if is_full or any(one in said for one in _FULL) else ObjectsAway
    return kind(lines[0][:300] if lines else type(error).__name__)
