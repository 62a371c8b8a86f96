"""manage.py rebuild_open: makes anew what is listed as open in sessions."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError

from apps.core.errors import DomainError
from apps.timeline.bodies import CorruptBody
from apps.timeline.management.sessions import SessionsCommand
from apps.timeline.projection import open_rebuild
from apps.timeline.search import rebuild

NAMED = 20


class Command(SessionsCommand):
    help = (
        "Make anew what is listed as waiting, flagged and held, whose effects' ends "
        "are waited for and which approvals are undecided, while everything goes on; "
        "a session is locked while it is read."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        done = failed = 0
        for one in rebuild.sessions(**self.which(options)):
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
