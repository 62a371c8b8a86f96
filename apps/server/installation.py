"""The data folder and the database behind one run of `up`.

One `up` per data folder, held by a lock that dies with its process. With a database
of one's own there is neither folder to guard nor server to start.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.executor import MigrationExecutor

from apps.core import postgres
from apps.core.database import line
from apps.core.postgres.folders import give_to_owner_of, make_folder
from apps.core.postgres.locate import Location
from apps.core.roles.logins import grant_all, let_go, log_in_as
from apps.core.roles.names import Role
from apps.server import protecting

DATA_DIR_VARIABLE = "STEPBACK_DATA_DIR"

# Between tries to start a PostgreSQL that does not, e.g. because its disk is full.
PAUSE_SECONDS = 5.0

Say = Callable[[str], None]


class InstallationRefused(Exception):
    """This folder or database cannot be used; the message says why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Installation:
    """Where the data is; `database_url` replaces the embedded server."""

    location: Location
    database_url: str


def installation(data_dir: str | None) -> Installation:
    """Return the installation of this process, or that of another data folder."""
    at = settings.LOCATION
    if data_dir:
        folder = Path(data_dir).expanduser().absolute()
        at = postgres.locate(folder, settings.BASE_DIR)
    return Installation(location=at, database_url=settings.DATABASE_URL)


def adopt(chosen: Installation, data_dir: str | None) -> None:
    """Make this process and its children use `chosen`; before anybody logs in.

    Settings were computed before anybody looked at the options.
    """
    if data_dir:
        os.environ[DATA_DIR_VARIABLE] = str(Path(data_dir).expanduser().absolute())
        settings.LOCATION = chosen.location


@contextmanager
def reserved(chosen: Installation) -> Iterator[bool]:
    """Hold the data folder; the value says whether the last holder was killed.

    Its pid stays in the file until it leaves in order.

    Raises: InstallationRefused while another `up` holds it.
    """
    if chosen.database_url:
        yield False
        return
    file = chosen.location.data_dir / "up.lock"
    make_folder(file.parent)
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise InstallationRefused(f"Cannot use {file}: {error.strerror}.") from error
    with os.fdopen(descriptor, "r+b", buffering=0) as lock:
        give_to_owner_of(file.parent, descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InstallationRefused(
                f"Stepback runs already with the data in {file.parent}, as process "
                f"{lock.read().decode() or 'unknown'}: stop it, or name another "
                "--data-dir."
            ) from error
        was_killed = bool(lock.read())
        _write(descriptor, str(os.getpid()))
        try:
            yield was_killed
        finally:
            _write(descriptor, "")


@contextmanager
def database(chosen: Installation, say: Say) -> Iterator[Callable[[], None]]:
    """Have a database that answers; stop it on leaving if it is the embedded one.

    The value looks whether that one still runs, and starts it again if not.

    Raises: ClusterError, RolesRefused.
    """
    if any(settings.DATABASE_URLS.values()):
        say("Using the PostgreSQL of DATABASE_URL.")
        protecting.refuse_unready()
        yield lambda: None
        return
    cluster = postgres.Cluster(chosen.location)
    say("Starting PostgreSQL.")
    for note in _notes(chosen.location):
        say(note)
    try:
        if not cluster.start():
            say("It was running already.")
        yield Keeper(cluster, say).look
    finally:
        let_go()
        cluster.stop()


class Keeper:
    """Starts the embedded PostgreSQL again when it ended without being asked.

    Out of memory, a full disk or a kill end it; what it had committed is there again
    after a start. The web workers answer 503 until then and need no restart. As long
    as it does not start, that is said once for each reason and tried again: whoever
    frees the disk has nothing else to do.
    """

    def __init__(self, cluster: postgres.Cluster, say: Say) -> None:
        self._cluster = cluster
        self._say = say
        self._is_down = False
        self._reason = ""
        self._next_try = 0.0

    def look(self) -> None:
        """Return at once while it is alive; else try to start it, now and then."""
        if self._cluster.is_alive() or time.monotonic() < self._next_try:
            return
        if not self._is_down:
            self._is_down = True
            self._say("PostgreSQL ended by itself: starting it again.")
        try:
            self._cluster.start()
        except (postgres.ClusterError, psycopg.Error, OSError) as error:
            self._tell(str(error))
            self._next_try = time.monotonic() + PAUSE_SECONDS
        else:
            self._say("PostgreSQL runs again.")
            self._is_down, self._reason = False, ""

    def _tell(self, told: str) -> None:
        # The lines below the first are from the log, and have the time in them.
        reason = told.partition("\n")[0]
        if reason != self._reason:
            self._reason = reason
            self._say(f"Trying again every {PAUSE_SECONDS:.0f} s: {told}")


def migrate(say: Say) -> None:
    """Bring tables and rights up to date; this process then goes on as the web's role.

    A start that finds the tables so leaves them alone. Rights are given in any case:
    roles may be newer than the tables.

    Raises: InstallationRefused or RolesRefused.
    """
    log_in_as(Role.OWNER)
    connection = connections[DEFAULT_DB_ALIAS]
    connection.ensure_connection()
    with connection.wrap_database_errors:
        refuse_older(connection.connection)
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        say("Making the tables.")
        call_command("migrate", interactive=False, verbosity=0)
    else:
        with connection.wrap_database_errors:
            grant_all(connection.connection)
    with connection.wrap_database_errors:
        protecting.report(say)
    log_in_as(Role.WEB)


def refuse_older(connection: psycopg.Connection) -> None:
    """Refuse tables from before the first release, which no migration goes on from.

    Raises: InstallationRefused.
    """
    where = "The database of DATABASE_URL"
    if not settings.DATABASE_URL:
        where = f"The database in {settings.LOCATION.data_dir}"
    try:
        line.refuse_older(where, line.recorded_steps(connection))
    except line.OlderLine as older:
        raise InstallationRefused(str(older)) from older


def _notes(location: Location) -> Iterator[str]:
    """Yield what is odd about the place, and in any case where it is."""
    if not any(str(location.data_dir) in note for note in location.notes):
        yield f"Data is in {location.data_dir}."
    yield from location.notes


def _write(descriptor: int, text: str) -> None:
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, text.encode(), 0)
