"""What the commands of accounts share: clear errors, look-ups and their actor.

A command that cannot do what was asked says so in one sentence and exits 1; nobody
is shown a traceback for a name that does not exist.
"""

from datetime import datetime
from typing import Any, NamedTuple

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, ProgrammingError
from django.utils import timezone

from apps.accounts.models import Project, User
from apps.core.actors import Actor, ActorKind
from apps.core.errors import DomainError
from apps.core.ids import new_id


class Act(NamedTuple):
    """Who and when: what every operation asks for."""

    actor: Actor
    now: datetime
    request_id: str


class AccountsCommand(BaseCommand):
    """Turns what can go wrong into sentences; subclasses fill `handle`."""

    requires_migrations_checks = False

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except DomainError as refused:
            raise CommandError(refused.message) from refused
        except OperationalError as down:
            raise CommandError(f"The database does not answer: {down}") from down
        except ProgrammingError as unmigrated:
            raise CommandError(
                "The database lacks our tables: run manage.py migrate first."
            ) from unmigrated

    def act(self, command: str) -> Act:
        """Return the actor of a command (the system, by the command's name)."""
        now = timezone.now()
        actor = Actor(kind=ActorKind.SYSTEM, id="system", label=f"manage.py {command}")
        return Act(actor=actor, now=now, request_id=new_id("req", now=now))


def project_called(slug: str) -> Project:
    """Return the project, or end the command with a sentence."""
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        known = ", ".join(
            Project.objects.order_by("slug").values_list("slug", flat=True)[:20]
        )
        hint = f"there are: {known}" if known else "make one with create_project"
        raise CommandError(f"There is no project {slug}; {hint}.")
    return project


def user_called(username: str) -> User:
    """Return the user, or end the command with a sentence."""
    user = User.objects.filter(username=username.strip().lower()).first()
    if user is None:
        raise CommandError(f"There is no user {username}; make one with create_user.")
    return user
