"""manage.py rebuild_rollups: makes what the dashboard reads anew, from the facts."""

from __future__ import annotations

from datetime import datetime
from time import monotonic
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.accounts.management.command import AccountsCommand, project_called
from apps.accounts.models import Project
from apps.core.roles.names import Role
from apps.metrics import rollups

SECONDS_BETWEEN_LINES = 5


class Command(AccountsCommand):
    role = Role.WORKER
    help = (
        "Add up all hours again from the versions, turns and rollbacks themselves. "
        "Numbers stay right meanwhile; it can be stopped and started again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--project", metavar="SLUG", help="one project alone")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["project"]
        chosen = [project_called(slug)] if slug else Project.objects.order_by("slug")
        for project in chosen:
            done = rollups.rebuild(
                project_id=project.id, now=timezone.now(), tell=self._progress(project)
            )
            self.stdout.write(f"{project}: {done:,} hours added up")

    def _progress(self, project: Project) -> Any:
        said_at = monotonic()

        def tell(done: int, hours: int, hour: datetime) -> None:
            nonlocal said_at
            if monotonic() - said_at > SECONDS_BETWEEN_LINES:
                said_at = monotonic()
                self.stdout.write(
                    f"{project}: {done:,} of {hours:,} hours, now {hour:%Y-%m-%d %H}:00"
                )

        return tell
