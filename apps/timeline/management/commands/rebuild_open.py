"""manage.py rebuild_open: makes anew what is listed as open in sessions."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from apps.core.errors import DomainError
from apps.timeline.bodies import CorruptBody
from apps.timeline.management.sessions import SessionsCommand
from apps.timeline.projection import open_rebuild
from apps.timeline.search import rebuild

NAMED = 20


class Command(SessionsCommand):
    session_help = "one session, read or not"
    help = (
        "Read sessions from before an update, of which it is not known whether they "
        "wait for a human, or since when. It can be stopped and started again, while "
        "everything goes on; a session is locked while it is read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--all", action="store_true", help="also sessions that were read already"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        which = self.which(options)
        every = options["all"] or options["session"]
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
