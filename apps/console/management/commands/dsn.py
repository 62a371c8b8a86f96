"""manage.py dsn: prints how to connect to the database, and nothing else."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from apps.console.installation import installation


class Command(BaseCommand):
    help = "Print the connection URL of the database, e.g. for psql."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--data-dir", help="default: var/ in this checkout")

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(installation(options["data_dir"]).dsn)
