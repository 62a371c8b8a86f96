"""manage.py backups: lists them, or makes one where the settings say they belong."""

from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from apps.accounts.management.command import AccountsCommand
from apps.backups.errors import BackupFailed, BackupRunning
from apps.backups.making import Wanted, make, make_if_due
from apps.backups.models import Attempt, Backup
from apps.core.postgres import ClusterError
from apps.core.roles.names import Role
from apps.server import backups
from apps.server.installation import Installation, installation


class Command(AccountsCommand):
    role = Role.OWNER
    help = (
        "List the backups of STEPBACK_BACKUPS that were made and read back. `up` "
        "makes one a day; --make makes one now."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        wishes = parser.add_mutually_exclusive_group()
        wishes.add_argument("--make", action="store_true", help="make one now")
        wishes.add_argument(
            "--if-due",
            action="store_true",
            help="make one unless there is one of the last day, as up asks every hour",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            wanted = Wanted.of_settings()
            if wanted is None:
                raise CommandError("STEPBACK_BACKUPS names no place for backups.")
            self._do(wanted, installation(options["data_dir"]), options)
        except BackupRunning as running:
            if not options["if_due"]:
                raise CommandError(str(running)) from running
        except BackupFailed as failed:
            raise CommandError(str(failed)) from failed

    def _do(
        self, wanted: Wanted, chosen: Installation, options: dict[str, Any]
    ) -> None:
        dump = partial(_dump, chosen)
        now = timezone.now()
        if options["make"]:
            self._tell(make(wanted, dump, now=now))
        elif options["if_due"]:
            made = make_if_due(wanted, dump, now=now)
            if made is not None:
                self._tell(made)
        else:
            self._list()

    def _list(self) -> None:
        kept = list(Backup.objects.kept())
        for one in kept:
            self._tell(one, "")
        last = Attempt.objects.first()
        if not kept:
            self.stdout.write("No backup was made yet.")
        if last is not None and last.error:
            self.stdout.write(f"The last try, {last.at:%Y-%m-%d %H:%M} UTC, failed:")
            self.stdout.write(f"  {last.error}")

    def _tell(self, made: Backup, how: str = "Made and read back: ") -> None:
        encrypted = ", encrypted" if made.is_encrypted else ""
        self.stdout.write(f"{how}{made.name} ({made.bytes:,} bytes{encrypted}).")


def _dump(chosen: Installation, file: Path) -> None:
    """Raises: BackupFailed."""
    try:
        backups.back_up(chosen, file)
    except ClusterError as error:
        raise BackupFailed(str(error)) from error
