"""manage.py reset_second_factor: takes away what somebody has lost."""

from typing import Any

from django.core.management.base import CommandParser

from apps.accounts import operations as accounts
from apps.accounts.management.command import (
    AccountsCommand,
    add_project_argument,
    chosen_project,
    user_called,
)


class Command(AccountsCommand):
    help = "Take a member's second factor away; they set up another one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        add_project_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        user = user_called(options["username"])
        accounts.reset_second_factor(
            project=chosen_project(options["project"]),
            user=user,
            act=self.act("reset_second_factor"),
        )
        self.stdout.write(f"{user.username} has no second factor now.")
