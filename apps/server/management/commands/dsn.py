"""manage.py dsn: prints how to connect to the database, and nothing else."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from apps.core.roles.logins import url_of
from apps.core.roles.names import Role
from apps.server.installation import adopt, installation


class Command(BaseCommand):
    help = "Print the connection URL of the database with its password, e.g. for psql."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--data-dir", help="default: var/ in this checkout")
        parser.add_argument(
            "--role",
            choices=[str(role) for role in Role],
            default=str(Role.WEB),
            help="whose login; default: web, which reads and appends",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        adopt(installation(options["data_dir"]), options["data_dir"])
        self.stdout.write(url_of(Role(options["role"])))
