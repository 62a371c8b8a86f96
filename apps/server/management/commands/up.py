"""manage.py up: starts everything, says where it is, stops everything."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.server import starting


class Command(BaseCommand):
    help = "Start PostgreSQL, the web server and the worker; Ctrl-C stops them all."
    # The first page should not wait for checks that tests run.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="default: 127.0.0.1")
        parser.add_argument("--port", type=int, default=8000, help="default: 8000")
        parser.add_argument("--data-dir", help="default: var/ in this checkout")
        parser.add_argument(
            "--no-demo", action="store_true", help="start with an empty project"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        wishes = starting.Wishes(
            host=options["host"],
            port=options["port"],
            data_dir=options["data_dir"],
            wants_demo=not options["no_demo"],
        )
        try:
            status = starting.run(wishes, say=self._say)
        except starting.StartRefused as refused:
            raise CommandError(str(refused)) from refused
        sys.exit(status)

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        # In a pipe or a service's log, too, people want to see it now.
        self.stdout.flush()
