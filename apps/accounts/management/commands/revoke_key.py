"""manage.py revoke_key: ends an API key at once."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from apps.accounts import operations as accounts
from apps.accounts.management.command import (
    AccountsCommand,
    add_project_argument,
    chosen_project,
)


class Command(AccountsCommand):
    help = "Revoke an API key: the next request with it is refused."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("key", help="the key's id, as list_keys shows it")
        add_project_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = chosen_project(options["project"])
        if not options["key"].startswith("key_"):
            raise CommandError("Name the key by its id (key_...), not by its secret.")
        act = self.act("revoke_key")
        key = accounts.revoke_key(project=project, key_id=options["key"], act=act)
        self.stdout.write(f"Revoked key {key.id} ({key.name}).")
