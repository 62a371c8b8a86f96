"""manage.py signin_link: prints a link that signs one person in, once.

A project without an administrator gets its first one here: whoever can run commands
on the server could write to its database anyway.
"""

from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from apps.accounts import operations as accounts
from apps.accounts.management.command import (
    AccountsCommand,
    add_base_url_argument,
    add_project_argument,
    chosen_project,
    path_of,
    user_called,
)
from apps.accounts.models import Membership, Project, Role, User
from apps.accounts.names import valid_username
from apps.core.provenance import Provenance


class Command(AccountsCommand):
    help = "Print a sign-in link (15 minutes, once); makes the first administrator."

    def add_arguments(self, parser: CommandParser) -> None:
        add_project_argument(parser)
        parser.add_argument("--user", default="admin", help="user name; default: admin")
        add_base_url_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = chosen_project(options["project"])
        act = self.act("signin_link")
        with transaction.atomic():
            if _has_admin(project):
                user = user_called(options["user"])
            else:
                user = _make_first_admin(project, options["user"], act)
                self.stdout.write(f"{user.username} is now admin of {project.slug}.")
            _, token = accounts.make_signin_link(project=project, user=user, act=act)
        path = path_of("signin_link", token)
        self.stdout.write(options["base_url"].rstrip("/") + path)


def _has_admin(project: Project) -> bool:
    # Two first runs at once wait here for each other and agree on one administrator.
    Project.objects.select_for_update(no_key=True).get(id=project.id)
    admins = Membership.objects.in_project(project.id).filter(role=Role.ADMIN)
    return admins.filter(user__is_active=True).exists()


def _make_first_admin(project: Project, username: str, act: Provenance) -> User:
    user = User.objects.filter(username=valid_username(username)).first()
    if user is None:
        user = accounts.create_user(username=username, act=act)
    members = Membership.objects.in_project(project.id).filter(user_id=user.id)
    assign = accounts.change_role if members.exists() else accounts.add_member
    assign(project=project, user=user, role=Role.ADMIN, act=act)
    return user
