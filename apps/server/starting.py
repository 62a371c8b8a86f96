"""The steps of `manage.py up`, from an empty folder to a console and back.

Owns their order and what is said about them. Everything that can refuse does so in
one sentence before the web server runs; whatever happens, what was started is stopped.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from django.conf import settings
from django.core.management.base import CommandError
from django.db import DatabaseError, OperationalError
from django.utils import timezone

from apps.accounts.encryption import require_keys
from apps.backups.errors import BackupsMisconfigured
from apps.backups.making import Wanted
from apps.core.errors import DomainError
from apps.core.notes.errors import KeyRefused
from apps.core.notes.keys import made_keys
from apps.core.postgres import ClusterError
from apps.core.postgres.errors import DataFolderUnusable
from apps.core.processes.supervisor import Child, Supervisor
from apps.core.roles.logins import let_go, url_of
from apps.core.roles.names import Role
from apps.erasures import reapplying
from apps.erasures.errors import CertificateRefused
from apps.meaning import embedding
from apps.server import backups, first_start, serving
from apps.server.daily import Daily
from apps.server.endpoint import Endpoint, EndpointRefused, endpoint
from apps.server.environments import environment
from apps.server.installation import (
    Installation,
    InstallationRefused,
    adopt,
    database,
    installation,
    migrate,
    reserved,
)
from apps.server.protecting import RolesRefused

GRACE_SECONDS = 10
# A busy machine takes its time; a web server that ends by itself is noticed at once.
READY_SECONDS = 120
# What a killed `up` left: the guard of its web server gives that one its grace.
LEFTOVER_SECONDS = GRACE_SECONDS + 3

Say = Callable[[str], None]


class StartRefused(Exception):
    """Stepback did not start; the message says why in one sentence."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wishes:
    """What the command line asked for."""

    host: str
    port: int
    data_dir: str | None
    wants_demo: bool


def run(wishes: Wishes, *, say: Say) -> int:
    """Start everything, wait for a signal, stop everything; return the exit status.

    1. Refuse what cannot work; reserve the data folder. 2. Start PostgreSQL, make the
    tables, fill an empty database. 3. Start the web server, wait until it is ready,
    then show address, link and key. 4. Start the worker and what removes, and wait;
    start PostgreSQL or one of these again if it ends.

    Raises: StartRefused.
    """
    with _in_one_sentence(), Supervisor(say=say) as supervisor:
        place = endpoint(wishes.host, wishes.port)
        place.refuse_exposure()
        # Not after a night without backups.
        Wanted.of_settings()
        chosen = installation(wishes.data_dir)
        adopt(chosen, wishes.data_dir)
        with reserved(chosen) as was_killed:
            place.refuse_busy(patience=LEFTOVER_SECONDS if was_killed else 0)
            return _Start(wishes, place, chosen, supervisor, say).run()


@dataclass(frozen=True, slots=True)
class _Start:
    wishes: Wishes
    place: Endpoint
    chosen: Installation
    supervisor: Supervisor
    say: Say

    def run(self) -> int:
        began = time.monotonic()
        try:
            with database(self.chosen, self.say) as look_after_it:
                self._fill()
                self._serve()
                if self._becomes_ready():
                    self._announce(time.monotonic() - began)
                    self._work()
                status = self._wait(look_after_it)
                self.say("Stopping.")
        except (ClusterError, DatabaseError):
            # Ctrl-C reaches the programs of PostgreSQL too, which then fail.
            if not self.supervisor.is_stopping:
                raise
            return 0
        return status

    def _wait(self, look_after_it: Callable[[], None]) -> int:
        if Wanted.of_settings() is None:
            return self.supervisor.wait(meanwhile=look_after_it)
        with closing(Daily(self.say)) as daily:

            def look() -> None:
                look_after_it()
                daily.look()

            return self.supervisor.wait(meanwhile=look)

    def _fill(self) -> None:
        migrate(self.say)
        self._have_keys()
        # Not after the first customer could not be shown.
        require_keys()
        self._erase_again()
        first_start.prepare(
            wants_demo=self.wishes.wants_demo,
            say=self.say,
            is_stopping=lambda: self.supervisor.is_stopping,
        )

    def _erase_again(self) -> None:
        """Apply the journal to a database that was put back, however that was done."""
        if reapplying.is_behind():
            self.say("Erasing whom the journal says is erased.")
            for why in backups.erase_again(now=timezone.now()).left:
                self.say(why)

    def _have_keys(self) -> None:
        try:
            made_keys()
        except (DataFolderUnusable, OSError) as error:
            # Whoever keeps nothing here can still run without.
            self.say(f"No signatures: {error}")

    def _serve(self) -> None:
        if self.supervisor.is_stopping:
            return
        self.say(f"Starting {settings.WORKERS} web workers.")
        child = Child(
            name="The web server",
            argv=[
                *(sys.executable, "-m", serving.__name__),
                *serving.arguments(address=self.place.address, port=self.place.port),
            ],
            env=self._environment(Role.WEB),
            grace=GRACE_SECONDS,
        )
        self.supervisor.start(child)

    def _work(self) -> None:
        # Only now: it should not take the processor from the first page, and what it
        # does has waited since yesterday.
        for name, command, role in (
            ("The worker", "worker", Role.WORKER),
            ("Retention", "retention", Role.RETENTION),
        ):
            child = Child(
                name=name,
                argv=[sys.executable, str(settings.BASE_DIR / "manage.py"), command],
                env=self._environment(role),
                grace=GRACE_SECONDS,
                is_spare=True,
            )
            self.supervisor.start(child)

    def _environment(self, role: Role) -> dict[str, str]:
        """Return what a child needs to know; what was said outside counts more."""
        known = {"STEPBACK_URL": self.place.url}
        return known | environment(role, url=url_of(role))

    def _becomes_ready(self) -> bool:
        """Wait for the first good answer; False if an end came first."""
        deadline = time.monotonic() + READY_SECONDS
        while not self.supervisor.is_stopping and not _a_child_left():
            if self.place.is_ready():
                return True
            if time.monotonic() > deadline:
                raise StartRefused(
                    f"The web server did not answer in {READY_SECONDS} seconds: the "
                    "lines above say why."
                )
            time.sleep(0.05)
        return False

    def _announce(self, seconds: float) -> None:
        url = self.place.url
        self.say(f"\nStepback is ready at {url}/ after {seconds:.1f} s.\n")
        self._show_link(url)
        made = first_start.first_key()
        if made is not None:
            slug, secret = made
            self.say(f"API key of project {slug}, shown this once:\n  {secret}")
        self._say_what_is_lacking()
        let_go()
        self.say("\nPress Ctrl-C to stop.")

    def _say_what_is_lacking(self) -> None:
        missing, lacking = embedding.missing(), embedding.lacking()
        if missing is not None:
            self.say(f"\nSearches are by words alone: {missing}")
        elif lacking is not None:
            self.say(f"\n{lacking}")

    def _show_link(self, url: str) -> None:
        try:
            username, link = first_start.signin_link(url)
        except CommandError as nobody:
            # Whoever can still sign in should find the console running.
            self.say(f"There is no sign-in link: {nobody}")
        else:
            self.say(f"Sign in as {username} (once, within 15 minutes):\n  {link}")


def _a_child_left() -> bool:
    """Look without collecting its status, which is the supervisor's."""
    looked = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return os.waitid(os.P_ALL, 0, looked) is not None


@contextmanager
def _in_one_sentence() -> Iterator[None]:
    try:
        yield
    except (
        BackupsMisconfigured,
        CertificateRefused,
        ClusterError,
        EndpointRefused,
        InstallationRefused,
        KeyRefused,
        RolesRefused,
    ) as refused:
        raise StartRefused(str(refused)) from refused
    except DomainError as refused:
        raise StartRefused(refused.message) from refused
    except OperationalError as down:
        raise StartRefused(f"The database does not answer: {down}") from down
    except DatabaseError as refused:
        raise StartRefused(f"The database refused: {refused}") from refused
