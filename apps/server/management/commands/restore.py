"""manage.py restore FILE: a backup into an empty database, then everything verified."""

from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from apps.accounts.management.command import AccountsCommand
from apps.backups import journal
from apps.backups.errors import BackupFailed
from apps.backups.making import Wanted, opened
from apps.backups.places import place
from apps.core.notes.errors import KeyRefused
from apps.core.postgres import ClusterError
from apps.erasures import reapplying
from apps.erasures.errors import CertificateRefused, JournalMissing
from apps.server import backups
from apps.server.installation import (
    Installation,
    InstallationRefused,
    adopt,
    database,
    installation,
    reserved,
)
from apps.server.protecting import RolesRefused


class Command(AccountsCommand):
    help = (
        "Fill an empty database from a backup and verify all of it. The embedded "
        "PostgreSQL is started for it and stopped again: up must not run."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="what backup wrote")
        parser.add_argument(
            "--identity",
            metavar="FILE",
            help="the identity of age's that opens an encrypted backup",
        )
        parser.add_argument(
            "--without-journal",
            action="store_true",
            help="restore although there is no journal of erasures: whoever was erased "
            "since the backup comes back",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = installation(options["data_dir"])
        adopt(chosen, options["data_dir"])
        file = Path(options["file"]).expanduser().absolute()
        try:
            if not options["without_journal"]:
                self._have_journal()
            with opened(file, options["identity"]) as plain:
                self._restore(chosen, file, plain, options)
        except (
            BackupFailed,
            CertificateRefused,
            ClusterError,
            InstallationRefused,
            JournalMissing,
            KeyRefused,
            RolesRefused,
        ) as refused:
            raise CommandError(str(refused)) from refused

    def _restore(
        self, chosen: Installation, file: Path, plain: Path, options: dict[str, Any]
    ) -> None:
        backups.verify(chosen, plain)
        with reserved(chosen), database(chosen, self._say):
            backups.restore(chosen, plain)
            self._say("Restored.")
            left = () if options["without_journal"] else self._erase_again()
            self._say(backups.sign(file, now=timezone.now()))
            self._say("Verifying all of it.")
            call_command("verify", stdout=self.stdout, stderr=self.stderr)
        if left:
            raise CommandError(
                "Not all is erased that the journal has: the lines above say why. The "
                "process that removes goes on with it once it can."
            )

    def _erase_again(self) -> tuple[str, ...]:
        """Apply the journal; return what keeps some of it from being applied."""
        again = backups.erase_again(now=timezone.now())
        self._say(
            f"Applied from the journal: {again.applied:,} erasures that are newer."
        )
        for why in again.left:
            self._say(why)
        return again.left

    def _have_journal(self) -> None:
        """Fetch from beside the backups what is missing here; require that it is here.

        Raises: BackupFailed, JournalMissing.
        """
        wanted = Wanted.of_settings()
        fetched = 0 if wanted is None else journal.fetch_from(place(wanted.where))
        if fetched:
            self._say(f"Fetched {fetched:,} entries of the journal of erasures.")
        reapplying.require_journal()

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()
