"""manage.py create_project: makes a project."""

from typing import Any

from django.core.management.base import CommandParser

from apps.accounts import operations as accounts
from apps.accounts.management.command import AccountsCommand


class Command(AccountsCommand):
    help = "Make a project: the tenant that sessions, keys and members belong to."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="its name in URLs, e.g. checkout-bots")
        parser.add_argument("--name", help="its name for people; default: the slug")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["slug"]
        act = self.act("create_project")
        project = accounts.create_project(
            slug=slug, name=options["name"] or slug, act=act
        )
        self.stdout.write(f"Created project {project.slug} ({project.id}).")
