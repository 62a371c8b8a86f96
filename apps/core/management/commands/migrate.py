"""manage.py migrate: Django's own, as the owner of the tables; then the rights."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate
from django.db import connections

from apps.core.database import line
from apps.core.database.migrating import Executor
from apps.core.roles.commands import LogsIn
from apps.core.roles.logins import grant_all
from apps.core.roles.names import Role

# Which Django's command finds by its name in its module.
migrate.MigrationExecutor = Executor  # type: ignore[attr-defined]


class Command(LogsIn, migrate.Command):
    role = Role.OWNER

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--data-dir", help="that of up; default: var/ in here")

    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        connection.ensure_connection()
        try:
            with connection.wrap_database_errors:
                steps = line.recorded_steps(connection.connection)
            line.refuse_older("The database", steps)
        except line.OlderLine as older:
            raise CommandError(str(older)) from older
        super().handle(*args, **options)
        if not options["plan"]:
            connection.ensure_connection()
            with connection.wrap_database_errors:
                grant_all(connection.connection)
