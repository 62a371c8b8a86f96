"""manage.py create_user: makes a person known, and a member where asked."""

import getpass
import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from apps.accounts import operations as accounts
from apps.accounts.management.command import AccountsCommand, project_called
from apps.accounts.models import Project, Role, User


class Command(AccountsCommand):
    help = "Make a user; without a password they sign in by link only."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--display-name", default="", help="their name for people")
        parser.add_argument("--email")
        parser.add_argument(
            "--password",
            action="store_true",
            help="ask for a password, or read its line from standard input",
        )
        parser.add_argument("--project", help="slug of a project to add them to")
        parser.add_argument(
            "--role", choices=Role.values, default=Role.VIEWER, help="in the project"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_called(options["project"]) if options["project"] else None
        password = _asked_password() if options["password"] else None
        act = self.act("create_user")
        with transaction.atomic():
            user = accounts.create_user(
                username=options["username"],
                display_name=options["display_name"],
                email=options["email"],
                password=password,
                act=act,
            )
            if project is not None:
                role = Role(options["role"])
                accounts.add_member(project=project, user=user, role=role, act=act)
        self.stdout.write(f"Created user {user.username} ({user.id}).")
        self.stdout.write(_next_step(user, project))


def _next_step(user: User, project: Project | None) -> str:
    if project is None:
        return f"Let them into a project: manage.py set_role {user.username} ROLE"
    arguments = f"--project {project.slug} --user {user.username}"
    return f"A link that signs them in: manage.py signin_link {arguments}"


def _asked_password() -> str:
    # Never an argument: those stand in the process list and the shell's history.
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass.getpass()
    if getpass.getpass("Password (again): ") != password:
        raise CommandError("The two passwords differ.")
    return password
