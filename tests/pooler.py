"""PgBouncer in transaction mode, between processes of a test and the run's PostgreSQL.

`STEPBACK_PGBOUNCER` names the program; Debian's is at `/usr/sbin/pgbouncer`. Of each
role and database it has very few connections to the server, so that successive
transactions of one client rarely have the same one.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.cluster import make_folder
from tests.live import free_port

PROGRAM = Path(os.environ.get("STEPBACK_PGBOUNCER", "/usr/sbin/pgbouncer"))
CONNECTIONS = 3
STARTS_SECONDS = 30
CONFIGURATION = """\
[databases]
* = host={socket} port={port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen_port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {folder}/users.txt
admin_users = {admin}
pool_mode = transaction
default_pool_size = {connections}
# What a connection asks for at its start: the roles have it, see docs/moving.md.
ignore_startup_parameters = extra_float_digits,options
logfile = {folder}/pooler.log
"""


@dataclass(frozen=True)
class Pooler:
    """A running pooler; `log` says what it refused."""

    port: int
    log: Path
    admin: dict[str, Any]

    def through(self, dsn: str) -> str:
        """Return how the login of a DSN reaches its database by way of the pooler."""
        parts = conninfo_to_dict(dsn)
        return make_conninfo("", **{**parts, "host": "127.0.0.1", "port": self.port})

    def shown(self, what: str) -> list[dict[str, Any]]:
        """Return what its console says, as in `SHOW POOLS`."""
        told = {**self.admin, "host": "127.0.0.1", "port": self.port}
        with psycopg.connect(
            make_conninfo("", **{**told, "dbname": "pgbouncer"}), autocommit=True
        ) as connection:
            cursor = psycopg.ClientCursor(connection)
            rows = cursor.execute(f"SHOW {what}").fetchall()
            names = [column.name for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in rows]


@contextmanager
def pooling(logins: Mapping[str, str]) -> Iterator[Pooler]:
    """Run a pooler that lets these logins in, until the block is left."""
    with make_folder() as folder:
        pooler, user = _configured(logins, Path(folder))
        command = [str(PROGRAM), "--quiet", f"{folder}/pgbouncer.ini"]
        if os.geteuid() == 0:
            command += ["--user", user]
        process = subprocess.Popen(command)
        try:
            _wait_for(pooler, process)
            yield pooler
        finally:
            process.terminate()
            process.wait(STARTS_SECONDS)


def _configured(logins: Mapping[str, str], folder: Path) -> tuple[Pooler, str]:
    """Write its files; return what it will be, and as which user it runs."""
    told = [conninfo_to_dict(dsn) for dsn in logins.values()]
    socket, server_port = str(told[0]["host"]), told[0].get("port", 5432)
    port = free_port()
    users = {str(one["user"]): str(one["password"]) for one in told}
    admin = {key: told[0][key] for key in ("user", "password")}
    (folder / "users.txt").write_text(
        "".join(f'"{name}" "{password}"\n' for name, password in users.items())
    )
    (folder / "pgbouncer.ini").write_text(
        CONFIGURATION.format(
            socket=socket,
            port=server_port,
            listen_port=port,
            folder=folder,
            admin=admin["user"],
            connections=CONNECTIONS,
        )
    )
    # It refuses to run as root, and the server's socket is its own user's.
    user = Path(socket).owner()
    _give(folder, user)
    return Pooler(port=port, log=folder / "pooler.log", admin=admin), user


def _give(folder: Path, user: str) -> None:
    """Let that user into the folder, if this process may."""
    if os.geteuid() == 0:
        for path in (folder, *folder.iterdir()):
            subprocess.run(["chown", user, str(path)], check=True)


def _wait_for(pooler: Pooler, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + STARTS_SECONDS
    while True:
        assert process.poll() is None, "The pooler has ended."
        try:
            pooler.shown("VERSION")
        except psycopg.OperationalError:
            assert time.monotonic() < deadline, pooler.log.read_text()
            time.sleep(0.05)
        else:
            return
