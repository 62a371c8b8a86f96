"""manage.py set_role: lets a user into a project, or changes what they may do there."""

from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from apps.accounts import operations as accounts
from apps.accounts.management.command import (
    AccountsCommand,
    add_project_argument,
    chosen_project,
    user_called,
)
from apps.accounts.models import Membership, Project, Role


class Command(AccountsCommand):
    help = "Give a user a role in a project; whoever is no member becomes one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("role", choices=Role.values)
        add_project_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = chosen_project(options["project"])
        user = user_called(options["username"])
        act = self.act("set_role")
        with transaction.atomic():
            # Two commands about one newcomer would both want to add them.
            Project.objects.select_for_update(no_key=True).get(id=project.id)
            members = Membership.objects.in_project(project.id).filter(user_id=user.id)
            assign = accounts.change_role if members.exists() else accounts.add_member
            role = Role(options["role"])
            assign(project=project, user=user, role=role, act=act)
        self.stdout.write(f"{user.username} is now {role} of {project.slug}.")
