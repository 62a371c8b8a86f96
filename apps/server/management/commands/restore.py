"""manage.py restore FILE: a backup into an empty database, then everything verified."""

from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from apps.accounts.management.command import AccountsCommand
from apps.core.notes.errors import KeyRefused
from apps.core.postgres import ClusterError
from apps.erasures import reapplying
from apps.erasures.errors import CertificateRefused, JournalMissing
from apps.server import backups
from apps.server.installation import (
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
                reapplying.require_journal()
            backups.verify(chosen, file)
            with reserved(chosen), database(chosen, self._say):
                backups.restore(chosen, file)
                self._say("Restored.")
                if not options["without_journal"]:
                    self._say(backups.erase_again(now=timezone.now()))
                self._say(backups.sign(file, now=timezone.now()))
                self._say("Verifying all of it.")
                call_command("verify", stdout=self.stdout, stderr=self.stderr)
        except (
            CertificateRefused,
            ClusterError,
            InstallationRefused,
            JournalMissing,
            KeyRefused,
            RolesRefused,
        ) as refused:
            raise CommandError(str(refused)) from refused

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()
