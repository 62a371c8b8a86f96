"""manage.py invite: lets somebody in and prints the link for their password."""

from typing import Any

from django.core.management.base import CommandParser
from django.urls import reverse

from apps.accounts import operations as accounts
from apps.accounts.management.command import (
    AccountsCommand,
    add_base_url_argument,
    add_project_argument,
    chosen_project,
)
from apps.accounts.models import Role


class Command(AccountsCommand):
    help = "Let somebody into a project; a newcomer's link works 3 days, once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--role", choices=Role.values, default=Role.VIEWER)
        add_project_argument(parser)
        add_base_url_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = chosen_project(options["project"])
        role = Role(options["role"])
        membership, token = accounts.invite(
            project=project,
            username=options["username"],
            role=role,
            **self.act("invite")._asdict(),
        )
        name = membership.user.username
        self.stdout.write(f"{name} is now {role} of {project.slug}.")
        if token is None:
            self.stdout.write("They have an account already and sign in as before.")
            return
        path = reverse("accounts:password_link", args=[token])
        self.stdout.write(options["base_url"].rstrip("/") + path)
