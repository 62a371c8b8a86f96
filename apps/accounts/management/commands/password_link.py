"""manage.py password_link: prints a link by which somebody chooses a new password."""

from typing import Any

from django.core.management.base import CommandParser

from apps.accounts import operations as accounts
from apps.accounts.management.command import (
    AccountsCommand,
    add_base_url_argument,
    add_project_argument,
    chosen_project,
    path_of,
    user_called,
)


class Command(AccountsCommand):
    help = "Print a link to choose a new password (1 hour, once)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        add_project_argument(parser)
        add_base_url_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        _, token = accounts.make_password_link(
            project=chosen_project(options["project"]),
            user=user_called(options["username"]),
            act=self.act("password_link"),
        )
        path = path_of("password_link", token)
        self.stdout.write(options["base_url"].rstrip("/") + path)
