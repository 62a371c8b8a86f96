"""Which operating system user runs PostgreSQL.

A plain user runs it as himself. PostgreSQL refuses root, so root hands it to the
owner of the data that is already there, else to a system user made for it.
"""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from apps.core.postgres.errors import ClusterError

SERVICE_NAME = "stepback"
LAST_RESORT = "nobody"
SERVICE_NAMES = frozenset({SERVICE_NAME, LAST_RESORT})


class Privileges(TypedDict, total=False):
    """The arguments with which `subprocess` drops root."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerUser:
    """A user of this machine."""

    name: str
    uid: int
    gid: int

    @property
    def privileges(self) -> Privileges:
        """What to hand to `subprocess` so that the child is this user."""
        if os.geteuid() == self.uid:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


def is_root() -> bool:
    """Whether PostgreSQL would refuse to run as the calling user."""
    return os.geteuid() == 0


def owner_of(folder: Path) -> ServerUser | None:
    """Return who owns `folder`; None where there is none, or root owns it."""
    try:
        found = folder.stat()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None
    return None if found.st_uid == 0 else _by_uid(found.st_uid, found.st_gid)


def server_user(folder: Path) -> ServerUser:
    """Return who is to run the cluster in `folder`, making the user if need be."""
    if not is_root():
        return _by_uid(os.geteuid(), os.getegid())
    return owner_of(folder) or _by_name(SERVICE_NAME) or _make_service_user()


@contextmanager
def acting_as(uid: int, gid: int) -> Iterator[None]:
    """Be that user for a moment, if root; only where no other thread runs.

    Root in a container usually lacks CAP_SYS_PTRACE, and then may not see where a
    process of somebody else works; that somebody may.
    """
    if not is_root():
        yield
        return
    group = os.getegid()
    os.setegid(gid)
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(group)


def _by_uid(uid: int, gid: int) -> ServerUser:
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        # Containers run as numbers without a name; PostgreSQL's initdb is told one.
        return ServerUser(name=f"uid {uid}", uid=uid, gid=gid)
    return ServerUser(name=entry.pw_name, uid=uid, gid=entry.pw_gid)


def _by_name(name: str) -> ServerUser | None:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return ServerUser(name=name, uid=entry.pw_uid, gid=entry.pw_gid)


def _make_service_user() -> ServerUser:
    useradd = shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin:/bin")
    if useradd:
        # Failing is an answer too: a read-only /etc leaves us with the last resort.
        subprocess.run(  # noqa: S603 - fixed words
            [
                *(useradd, "--system", "--user-group", "--no-create-home"),
                *("--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin"),
                SERVICE_NAME,
            ],
            capture_output=True,
            check=False,
        )
    made = _by_name(SERVICE_NAME) or _by_name(LAST_RESORT)
    if made is None:
        raise ClusterError("There is no user to run PostgreSQL as; it refuses root.")
    return made
