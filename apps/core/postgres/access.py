"""Who may log in to the embedded server: whoever knows the password of a role.

The folder of the socket keeps other users of the machine away, and the passwords the
processes of one user from each other's roles. Clusters made before there were
passwords let everybody in as anybody; they get them before they are started again.
"""

import os
from pathlib import Path

from apps.core.postgres.identity import ServerUser

FILE = "pg_hba.conf"
RULES = """\
# Written by Stepback, which puts it back if it is changed.
# TYPE  DATABASE  USER  METHOD
local   all       all   scram-sha-256
"""


def wants_passwords(cluster_dir: Path) -> bool:
    """Whether the server asks everybody for a password when it is started next."""
    try:
        return (cluster_dir / FILE).read_text(encoding="utf-8") == RULES
    except (FileNotFoundError, UnicodeDecodeError):
        return False


def close(cluster_dir: Path) -> None:
    """Let nobody in: without its rules the server does not even start."""
    (cluster_dir / FILE).unlink(missing_ok=True)


def open_to_passwords(cluster_dir: Path, user: ServerUser) -> None:
    """Let in who knows a password; the file is there whole or not at all."""
    unfinished = cluster_dir / f"{FILE}.new"
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        os.fchown(descriptor, user.uid, user.gid)
        file.write(RULES)
        file.flush()
        os.fsync(descriptor)
    unfinished.rename(cluster_dir / FILE)
