"""manage.py invite: prints an invitation into a project, good for one person, once."""

from typing import Any

from django.core.management.base import CommandParser

from apps.accounts import operations as accounts
from apps.accounts.management.command import (
    AccountsCommand,
    add_base_url_argument,
    add_project_argument,
    chosen_project,
    path_of,
)
from apps.accounts.models import Role


class Command(AccountsCommand):
    help = (
        "Print an invitation (3 days, once): who opens it signs in or chooses a name."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--role", choices=Role.values, default=Role.VIEWER)
        add_project_argument(parser)
        add_base_url_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        _, token = accounts.invite(
            project=chosen_project(options["project"]),
            role=Role(options["role"]),
            act=self.act("invite"),
        )
        path = path_of("invitation", token)
        self.stdout.write(options["base_url"].rstrip("/") + path)
