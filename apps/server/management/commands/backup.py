"""manage.py backup FILE: everything in one file, while the installation runs."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from apps.accounts.management.command import AccountsCommand
from apps.accounts.models import Project
from apps.core.notes.folder import Folder
from apps.core.notes.keys import roots_path
from apps.core.postgres import ClusterError
from apps.server import backups
from apps.server.installation import installation


class Command(AccountsCommand):
    help = "Write the whole database into a new file, while everything goes on."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="a file that is not there yet")

    def handle(self, *args: Any, **options: Any) -> None:
        # Is there a database of ours? What it answers otherwise is a sentence.
        Project.objects.exists()
        file = Path(options["file"]).expanduser().absolute()
        try:
            size = backups.back_up(installation(options["data_dir"]), file)
        except ClusterError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Wrote {file} ({size:,} bytes).")
        if Folder(roots_path()).newest():
            self.stdout.write(
                f"The signed notes are not in it: copy {roots_path()} as well, to "
                "another machine."
            )
