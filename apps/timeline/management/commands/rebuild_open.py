"""manage.py rebuild_open: makes anew what is listed as open in sessions."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from apps.accounts.management.command import AccountsCommand, project_called
from apps.core.errors import DomainError
from apps.timeline.bodies import CorruptBody
from apps.timeline.models import Session
from apps.timeline.projection import open_rebuild
from apps.timeline.search import rebuild

NAMED = 20


class Command(AccountsCommand):
    help = (
        "Read sessions from before an update, of which it is not known whether they "
        "wait for a human, or since when. It can be stopped and started again, while "
        "everything goes on; a session is locked while it is read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--session", metavar="ID", help="one session, read or not")
        which.add_argument("--project", metavar="SLUG", help="one project alone")
        parser.add_argument(
            "--all", action="store_true", help="also sessions that were read already"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        slug, session_id = options["project"], options["session"]
        which = {
            "project_id": project_called(slug).id if slug else None,
            "session_id": session_id,
        }
        if session_id and not Session.objects.filter(id=session_id).exists():
            raise CommandError(f"There is no session {session_id}.")
        every = options["all"] or session_id
        done = failed = 0
        for one in rebuild.sessions(**which) if every else open_rebuild.unread(**which):
            try:
                open_rebuild.rebuild(one)
                done += 1
            except (CorruptBody, DomainError) as error:
                failed += 1
                if failed <= NAMED:
                    self.stderr.write(f"{one}: {error}")
        self.stdout.write(f"{done:,} sessions read")
        if failed:
            raise CommandError(
                f"{failed:,} sessions could not be read and stay as they were: "
                "manage.py verify tells what is wrong with them."
            )
