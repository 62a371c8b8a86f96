"""manage.py create_key: issues an API key and prints it, this once."""

from datetime import timedelta
from typing import Any

from django.core.management.base import CommandParser

from apps.accounts import operations as accounts
from apps.accounts.management.command import (
    AccountsCommand,
    add_project_argument,
    chosen_project,
)
from apps.accounts.models import KeyMark, Scope
from apps.core.errors import InvalidRequest

# Ten thousand years would leave what a date can be.
LONGEST_DAYS = 36_500


class Command(AccountsCommand):
    help = "Issue an API key; the last line of the output is the key alone."

    def add_arguments(self, parser: CommandParser) -> None:
        add_project_argument(parser)
        parser.add_argument("--name", default="key", help="what people call the key")
        parser.add_argument("--scope", choices=Scope.values, default=Scope.WRITE)
        parser.add_argument(
            "--agent",
            action="append",
            help="external id of an agent it may speak for; repeatable; default: all",
        )
        parser.add_argument("--rate-limit", type=int, help="requests a minute")
        parser.add_argument("--expires-days", type=int)
        parser.add_argument(
            "--prefix",
            choices=KeyMark.values,
            default=KeyMark.STATEBASE,
            help="what it begins with, a label alone",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        project = chosen_project(options["project"])
        act = self.act("create_key")
        days = options["expires_days"]
        if days is not None and not 0 < days <= LONGEST_DAYS:
            raise InvalidRequest(f"A key lives 1 to {LONGEST_DAYS} days.")
        key, secret = accounts.issue_key(
            project=project,
            name=options["name"],
            scope=Scope(options["scope"]),
            agents=options["agent"],
            terms=accounts.KeyTerms(
                rate_limit=options["rate_limit"],
                expires_at=None if days is None else act.now + timedelta(days=days),
                mark=KeyMark(options["prefix"]),
            ),
            act=act,
        )
        self.stdout.write(f"Created {key.scope} key {key.id} of {project.slug}.")
        self.stdout.write("Keep it now; it is not shown again:")
        self.stdout.write(secret)
