"""What the commands of accounts share: clear errors, look-ups and their actor.

A command that cannot do what was asked says so in one sentence and exits 1; nobody
is shown a traceback for a name that does not exist.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError, ProgrammingError
from django.urls import reverse
from django.utils import timezone
from psycopg.errors import InsufficientPrivilege

from apps.accounts.models import Project, User
from apps.core.actors import Actor, ActorKind
from apps.core.errors import DomainError
from apps.core.provenance import Provenance, unrequested
from apps.core.roles.commands import LogsIn

SHOWN_PROJECTS = 20


class AccountsCommand(LogsIn, BaseCommand):
    """Turns what can go wrong into sentences; subclasses fill `handle`."""

    requires_migrations_checks = False
    # Tests run them. Here they would load all pages, half of what a command takes.
    requires_system_checks = []

    def create_parser(
        self, prog_name: str, subcommand: str, **kwargs: Any
    ) -> CommandParser:
        """Take `--data-dir` as `up` does; manage.py acts on it before settings."""
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.add_argument("--data-dir", help="that of up; default: var/ in here")
        return parser

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            with _quiet_pool():
                return super().execute(*args, **options)
        except DomainError as refused:
            raise CommandError(refused.message) from refused
        except OperationalError as down:
            raise CommandError(
                f"The database does not answer ({down}): {_where_to_look()}"
            ) from down
        except ProgrammingError as refused:
            raise CommandError(_why_refused(refused)) from refused

    def act(self, command: str) -> Provenance:
        """Return the actor of a command (the system, by the command's name)."""
        actor = Actor(kind=ActorKind.SYSTEM, id="system", label=f"manage.py {command}")
        return unrequested(actor, timezone.now())


def add_project_argument(parser: CommandParser) -> None:
    """Let the caller name a project; `chosen_project` takes what was said."""
    parser.add_argument(
        "--project", help="slug of the project; may be left out while there is one"
    )


def add_base_url_argument(parser: CommandParser) -> None:
    """Let the caller say where a printed link leads."""
    parser.add_argument(
        "--base-url",
        default=settings.PUBLIC_URL,
        help=f"where the console is opened; default: {settings.PUBLIC_URL}",
    )


def path_of(page: str, token: str) -> str:
    """Return the path of a page that a link leads to.

    The addresses of accounts lie at the root, and are asked alone: loading those of
    all pages takes half a second of a processor.
    """
    return reverse(page, urlconf="apps.accounts.urls", args=[token])


def chosen_project(slug: str | None) -> Project:
    """Return the project called so, without a name the only one, or end the command."""
    if slug is not None:
        return project_called(slug)
    first_two = list(Project.objects.order_by("slug")[:2])
    if len(first_two) == 1:
        return first_two[0]
    if not first_two:
        raise CommandError("There is no project yet; make one with create_project.")
    raise CommandError(f"Say which project, with --project; there are: {_known()}.")


def project_called(slug: str) -> Project:
    """Return the project, or end the command with a sentence."""
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        known = _known()
        hint = f"there are: {known}" if known else "make one with create_project"
        raise CommandError(f"There is no project {slug}; {hint}.")
    return project


def user_called(username: str) -> User:
    """Return the user, or end the command with a sentence."""
    user = User.objects.filter(username=username.strip().lower()).first()
    if user is None:
        raise CommandError(f"There is no user {username}; make one with create_user.")
    return user


def _known() -> str:
    slugs = Project.objects.order_by("slug").values_list("slug", flat=True)
    found = list(slugs[: SHOWN_PROJECTS + 1])
    more = ", ..." if len(found) > SHOWN_PROJECTS else ""
    return ", ".join(found[:SHOWN_PROJECTS]) + more


def _why_refused(error: ProgrammingError) -> str:
    if isinstance(error.__cause__, InsufficientPrivilege):
        said = str(error).partition("\n")[0]
        return f"The role that this command logs in as may not do it ({said})."
    return "The database lacks our tables: run manage.py migrate first."


def _where_to_look() -> str:
    if settings.DATABASE_URL:
        return "is the PostgreSQL of DATABASE_URL running?"
    return (
        "is manage.py up running? These commands looked for it in "
        f"{settings.LOCATION.data_dir}; --data-dir names another folder."
    )


@contextmanager
def _quiet_pool() -> Iterator[None]:
    """Keep the pool's repeated warnings away: the command says it once, in words."""
    pool = logging.getLogger("psycopg.pool")
    before = pool.level
    pool.setLevel(logging.ERROR)
    try:
        yield
    finally:
        pool.setLevel(before)
