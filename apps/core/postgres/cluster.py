"""Starting, attaching to and stopping the embedded PostgreSQL.

The server outlives whoever started it, so a killed `up` loses nothing and the next
one attaches. What a kill left behind never blocks a start; life is proven by a real
connection and nothing less.
"""

import os
import shlex
import shutil
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psycopg

from apps.core.postgres import access, processes
from apps.core.postgres.binaries import MAJOR
from apps.core.postgres.errors import (
    DataFolderUnusable,
    OtherMajorVersion,
    StartFailed,
)
from apps.core.postgres.folders import (
    can_pass,
    locked,
    make_folder,
    make_private_folder,
    sync_folder,
)
from apps.core.postgres.identity import ServerUser, server_user
from apps.core.postgres.locate import SOCKET, SUPERUSER, Location
from apps.core.postgres.parameters import initdb_arguments, server_arguments
from apps.core.postgres.roles import ensure_roles_and_database
from apps.core.postgres.secret import made_secret
from apps.core.roles import scram

# Crash recovery replays up to a gigabyte of log before it takes connections.
START_TIMEOUT = 60
LOCK_TIMEOUT = 120
UNFINISHED = "unfinished-"


class Cluster:
    """The cluster at a location. `durable=False` is for tests: it may lose data."""

    def __init__(self, location: Location, *, durable: bool = True) -> None:
        self.location = location
        self.durable = durable

    def start(self) -> bool:
        """Have the server run, with roles and database; False if it ran already.

        Under a lock, so that of several processes one starts and the rest attach:
        1. make the folders and find the user; 2. attach to a living server, waiting
        for one that is still starting or stopping; 3. else clear what a dead one
        left, make the cluster if there is none, have it ask for passwords, and start;
        4. make roles and database.

        Raises: ClusterError.
        """
        make_folder(self.location.data_dir)
        with locked(self.location.lock_file, timeout=LOCK_TIMEOUT):
            user = self._prepare()
            starts = not self._attach()
            if starts:
                self._launch(user)
            # Only runners of tests make databases.
            ensure_roles_and_database(
                self.location, may_create_databases=not self.durable
            )
        return starts

    def stop(self) -> bool:
        """Shut down, ending all connections; False if nothing ran.

        Raises: StopFailed.
        """
        if not self.location.data_dir.exists():
            return False
        with locked(self.location.lock_file, timeout=LOCK_TIMEOUT):
            return processes.shut_down(self.location.cluster_dir)

    def is_alive(self) -> bool:
        """Whether there is a postmaster, ready or not: a look that costs no query."""
        return processes.living_postmaster(self.location.cluster_dir) is not None

    def is_running(self) -> bool:
        """Whether this cluster's own server answers a query now.

        Raises: DataFolderUnusable where it answers, but not to our password.
        """
        try:
            with psycopg.connect(
                self.location.superuser_dsn(), autocommit=True, connect_timeout=2
            ) as connection:
                row = connection.execute("SHOW data_directory").fetchone()
        except psycopg.OperationalError as error:
            # Of a connection that was refused, libpq keeps the words alone.
            if "password authentication failed" in str(error):
                raise DataFolderUnusable(
                    f"{self.location.password_file(SUPERUSER)} is not the password of "
                    "this PostgreSQL: remove the file, and a start sets a new one."
                ) from error
            return False
        return row is not None and row[0] == str(self.location.cluster_dir)

    def initdb_arguments(self) -> list[str]:
        """Return how this cluster is made; tests on older servers make it otherwise."""
        return initdb_arguments(durable=self.durable)

    def server_arguments(self) -> list[str]:
        """Return how its server is started; older ones do not know every setting."""
        return server_arguments(self.location, durable=self.durable)

    def _prepare(self) -> ServerUser:
        at = self.location
        user = server_user(at.server_dir)
        if not can_pass(at.data_dir, user):
            raise DataFolderUnusable(
                f"PostgreSQL runs as {user.name}, who cannot reach the data in "
                f"{at.data_dir}: let others pass its parent folders, or move it."
            )
        for folder in (at.server_dir, at.socket_dir, at.log_dir):
            make_private_folder(folder, user)
        at.binaries.install()
        at.binaries.verify()
        self._refuse_other_major()
        return user

    def _refuse_other_major(self) -> None:
        directory = self.location.cluster_dir
        if not directory.exists() or not any(directory.iterdir()):
            return
        try:
            found = (directory / "PG_VERSION").read_text().strip()
        except FileNotFoundError as error:
            raise DataFolderUnusable(
                f"{directory} is not empty and not a PostgreSQL cluster: move it away."
            ) from error
        if found != MAJOR:
            raise OtherMajorVersion(
                f"{directory} was written by PostgreSQL {found}, this is PostgreSQL "
                f"{MAJOR}: dump it with PostgreSQL {found} (pg_dumpall), move the "
                f"folder away, start again and restore the dump."
            )

    def _attach(self) -> bool:
        """Whether a living server answers; returns only when it does or has left."""
        at = self.location
        deadline = time.monotonic() + START_TIMEOUT
        while (pid := processes.living_postmaster(at.cluster_dir)) is not None:
            if not self._has_passwords():
                # Whoever is connected came without one, and goes with the server.
                processes.shut_down(at.cluster_dir)
                return False
            if self.is_running():
                return True
            if processes.says_ready(at.cluster_dir) and not self._socket().exists():
                # The temp folder was swept: nobody can connect to this one again.
                processes.shut_down(at.cluster_dir)
                return False
            if time.monotonic() > deadline:
                raise StartFailed(
                    f"PostgreSQL runs as process {pid}, but does not answer."
                    f"{self._said()}"
                )
            time.sleep(0.05)
        return False

    def _launch(self, user: ServerUser) -> None:
        at = self.location
        processes.end_orphans(at.cluster_dir)
        self._clear_stale_files()
        if not (at.cluster_dir / "PG_VERSION").exists():
            self._make(user)
        if not self._has_passwords():
            self._set_password(user)
        self._start_log().unlink(missing_ok=True)
        done = self._run(
            user,
            "pg_ctl",
            *("start", "--wait", f"--timeout={START_TIMEOUT}"),
            f"--pgdata={at.cluster_dir}",
            f"--log={self._start_log()}",
            f"--options={shlex.join(self.server_arguments())}",
        )
        if done.returncode or not self.is_running():
            raise StartFailed(f"PostgreSQL did not start.{self._said()}")

    def _clear_stale_files(self) -> None:
        """Remove what would make PostgreSQL take a dead server for a living one.

        Its own pid file goes only when that pid is a zombie's or somebody else's:
        else PostgreSQL reads it to find shared memory that is still in use.
        """
        pid = processes.recorded_pid(self.location.cluster_dir)
        if pid is not None and processes.pid_exists(pid):
            (self.location.cluster_dir / "postmaster.pid").unlink()
        self._socket().unlink(missing_ok=True)
        self._socket().with_name(f"{SOCKET}.lock").unlink(missing_ok=True)

    def _make(self, user: ServerUser) -> None:
        """Make the cluster under another name: a half-made one is never taken."""
        at = self.location
        for left in at.server_dir.glob(f"{UNFINISHED}*"):
            # An initdb that outlived its killed launcher may still write there.
            shutil.rmtree(left, ignore_errors=True)
        unfinished = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=at.server_dir))
        os.chown(unfinished, user.uid, user.gid)
        done = self._run(
            user,
            "initdb",
            f"--pgdata={unfinished}",
            *self.initdb_arguments(),
        )
        if done.returncode:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise StartFailed(f"initdb failed: {done.stderr.strip()}")
        unfinished.rename(at.cluster_dir)
        sync_folder(at.server_dir)

    def _has_passwords(self) -> bool:
        """Whether the server asks for passwords, and we know the superuser's."""
        return (
            access.wants_passwords(self.location.cluster_dir)
            and self.location.password_file(SUPERUSER).exists()
        )

    def _set_password(self, user: ServerUser) -> None:
        """Give the superuser a password, in a server of one process without a socket.

        A new cluster has none, one from before there were passwords neither, and a
        lost one is replaced. The rules of access are written last: a start that was
        killed in between does it again, and nobody gets in meanwhile.
        """
        at = self.location
        access.close(at.cluster_dir)
        password = made_secret(at.password_file(SUPERUSER))
        done = self._run(
            user,
            "postgres",
            *("--single", "-D", str(at.cluster_dir), "-c", "exit_on_error=on"),
            "postgres",
            entered=f"ALTER ROLE {SUPERUSER} PASSWORD '{scram.verifier(password)}'\n",
        )
        if done.returncode:
            raise StartFailed("PostgreSQL did not take a password for its superuser.")
        access.open_to_passwords(at.cluster_dir, user)

    def _run(
        self, user: ServerUser, program: str, *arguments: str, entered: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of PostgreSQL as `user`, in an environment of our own."""
        return subprocess.run(  # noqa: S603 - our own program and arguments
            [str(self.location.binaries.program(program)), *arguments],
            cwd=self.location.server_dir,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "USER": user.name},
            input=entered,
            capture_output=True,
            text=True,
            check=False,
            umask=0o077,
            **user.privileges,
        )

    def _socket(self) -> Path:
        return self.location.socket_dir / SOCKET

    def _start_log(self) -> Path:
        return self.location.server_dir / "start.log"

    def _said(self) -> str:
        """Return the last lines that the server wrote, for whoever must act."""
        logs = sorted(self.location.log_dir.glob("*.log"), key=os.path.getmtime)
        lines: list[str] = []
        for log in (self._start_log(), *logs[-1:]):
            with suppress(FileNotFoundError):
                lines += log.read_text(errors="replace").splitlines()[-5:]
        return "".join(f"\n  {line}" for line in lines)
