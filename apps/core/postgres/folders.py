"""Making folders that another user can pass, and asking whether a user can.

Folders made here get their mode whatever the umask; folders that were there before
are left as they are, because widening a parent would open somebody's home.
"""

import fcntl
import hashlib
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from apps.core.postgres.errors import DataFolderUnusable
from apps.core.postgres.identity import ServerUser

# Passable, not listable: the server's user must get to its own folder inside.
PASSABLE = 0o711
PRIVATE = 0o700


def digest(path: Path, *more: object) -> str:
    """Return 16 hexadecimal digits that stand for a path."""
    text = "\0".join([str(path), *map(str, more)])
    return hashlib.sha256(os.fsencode(text)).hexdigest()[:16]


def make_folder(folder: Path) -> None:
    """Make `folder` and its missing parents, passable for the server's user."""
    for missing in reversed([f for f in (folder, *folder.parents) if not f.exists()]):
        try:
            missing.mkdir()
        except FileExistsError:
            continue  # another process made it between our look and our step
        except OSError as error:
            raise DataFolderUnusable(f"Cannot make {missing}: {error}.") from error
        missing.chmod(PASSABLE)


def make_private_folder(folder: Path, user: ServerUser) -> None:
    """Make `folder` for `user` alone, or verify that it is exactly that.

    A folder in the shared temp folder may have been put there by somebody else:
    it is looked at without following links, and refused unless it is ours.
    """
    try:
        folder.mkdir(mode=PRIVATE)
    except FileExistsError:
        pass
    except OSError as error:
        raise DataFolderUnusable(f"Cannot make {folder}: {error}.") from error
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in {os.geteuid(), user.uid}:
        raise DataFolderUnusable(
            f"{folder} belongs to the user with the number {found.st_uid}, but "
            f"PostgreSQL is to run as {user.name}. Start as that user or as root."
        )
    if found.st_uid != user.uid:
        os.chown(folder, user.uid, user.gid, follow_symlinks=False)
    if stat.S_IMODE(found.st_mode) != PRIVATE:
        folder.chmod(PRIVATE)


def can_pass(folder: Path, user: ServerUser | None) -> bool:
    """Whether `user` gets into `folder`; None stands for a user not made yet.

    Missing folders count as passable, because `make_folder` makes them so.
    """
    existing = (f for f in (folder, *folder.parents) if f.exists())
    return all(_allows(f.stat(), user, 0o1) for f in existing)


def can_read(file: Path, user: ServerUser | None) -> bool:
    """Whether `user` can reach and read `file`."""
    return can_pass(file.parent, user) and _allows(file.stat(), user, 0o4)


def _allows(found: os.stat_result, user: ServerUser | None, wanted: int) -> bool:
    shift = 0
    if user is not None and found.st_uid == user.uid:
        shift = 6
    elif user is not None and found.st_gid == user.gid:
        shift = 3
    return bool(found.st_mode >> shift & wanted)


def give_to_owner_of(folder: Path, descriptor: int) -> None:
    """Let a file that root made belong to whoever owns the folder it is in."""
    if os.geteuid() == 0:
        found = folder.stat()
        os.fchown(descriptor, found.st_uid, found.st_gid)


def sync_folder(folder: Path) -> None:
    """Have the names in `folder` survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def locked(file: Path, *, timeout: float) -> Iterator[None]:
    """Hold the lock `file` against other processes; waits at most `timeout`."""
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise DataFolderUnusable(f"Cannot lock {file}: {error}.") from error
    try:
        give_to_owner_of(file.parent, descriptor)
        _wait_for_lock(descriptor, file, time.monotonic() + timeout)
        yield
    finally:
        # Closing lets go of the lock; so does dying, which is why it is a flock.
        os.close(descriptor)


def _wait_for_lock(descriptor: int, file: Path, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise DataFolderUnusable(
                    f"Another process has held {file} for too long."
                ) from None
            time.sleep(0.05)
        else:
            return
