"""What an empty database gets: one project, its story, one key, one administrator.

A first start can be killed anywhere. The project is written first and the key last:
while a project that `up` made has no key of `up`, the next start goes on with it.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO

from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.models import ApiKey, Membership, Project, Role, Scope
from apps.audit.actions import Action
from apps.audit.models import Event
from apps.core.actors import Actor, ActorKind
from apps.core.provenance import unrequested
from apps.demo import week
from apps.erasures import journal

UP = Actor(kind=ActorKind.SYSTEM, id="system", label="manage.py up")
FIRST_ADMIN = "admin"
DEFAULT_SLUG = "default"
# Any number that nobody else takes: "step" in ASCII.
LOCK = 0x73746570

Say = Callable[[str], None]


def prepare(*, wants_demo: bool, say: Say, is_stopping: Callable[[], bool]) -> None:
    """Give an empty database its project; finish what a killed start began."""
    with _alone():
        # Empty, it says that nobody was erased: a restore asks for it.
        journal.make()
        project = _oldest()
        if project is None:
            project = _make_project(wants_demo=wants_demo)
        if project.slug == week.SLUG and _is_unfinished(project):
            say("Loading the demo: a week of three agents.")
            week.load(project, is_stopping=is_stopping)


def _make_project(*, wants_demo: bool) -> Project:
    now = timezone.now()
    if wants_demo:
        return week.begin(actor=UP, now=now)
    return accounts.create_project(
        slug=DEFAULT_SLUG,
        name="Default",
        act=unrequested(UP, now),
    )


def first_key() -> tuple[str, str] | None:
    """Issue the key of the first start; None if that was done before.

    Returns the project's slug and the secret, which nobody can ever read again.
    """
    with _alone():
        project = _oldest()
        if project is None or not _is_unfinished(project):
            return None
        now = timezone.now()
        _, secret = accounts.issue_key(
            project=project,
            name="first key",
            scope=Scope.ADMIN,
            act=unrequested(UP, now),
        )
    return project.slug, secret


def signin_link(url: str) -> tuple[str, str]:
    """Return who may sign in, and the link that lets them.

    Raises: CommandError when the oldest project has nobody who may.
    """
    project = _oldest()
    if project is None:
        raise CommandError("There is no project any more.")
    username = _first_admin(project)
    said = StringIO()
    call_command(
        "signin_link", project=project.slug, user=username, base_url=url, stdout=said
    )
    # The command's last line is the link alone.
    return username, said.getvalue().splitlines()[-1]


@contextmanager
def _alone() -> Iterator[None]:
    """Keep other starts on this database away; polled, so that no time-out strikes."""
    with connection.cursor() as cursor:
        while True:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK])
            if cursor.fetchone() == (True,):
                break
            time.sleep(0.2)
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])


def _oldest() -> Project | None:
    return Project.objects.order_by("created_at", "id").first()


def _is_unfinished(project: Project) -> bool:
    made_here = Event.objects.filter(
        project_id=project.id,
        action=Action.PROJECT_CREATED,
        actor_kind=UP.kind,
        actor_label=UP.label,
    )
    # A revoked key stays a row: revoking it does not bring another one.
    keys = ApiKey.objects.in_project(project.id).filter(created_by=UP.label)
    return made_here.exists() and not keys.exists()


def _first_admin(project: Project) -> str:
    admins = Membership.objects.in_project(project.id).filter(
        role=Role.ADMIN, user__is_active=True
    )
    first = admins.select_related("user").order_by("created_at", "user_id").first()
    return FIRST_ADMIN if first is None else str(first.user.username)
