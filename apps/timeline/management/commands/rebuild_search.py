"""manage.py rebuild_search: completes what search reads of older sessions."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import Any

from django.core.management.base import CommandError, CommandParser

from apps.core.errors import Busy, DomainError
from apps.core.roles.names import Role
from apps.timeline.bodies import CorruptBody
from apps.timeline.management.sessions import SessionsCommand
from apps.timeline.search import rebuild

SECONDS_BETWEEN_LINES = 5
NAMED = 20


class Command(SessionsCommand):
    role = Role.WORKER
    help = (
        "Read sessions from before there was a search, so that it finds them whole. "
        "It can be stopped and started again, while everything goes on."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--all", action="store_true", help="also sessions that are complete already"
        )

        parser.add_argument(
            "--check",
            action="store_true",
            help="change nothing: name the sessions of which search reads something "
            "else than follows from them, and fail if there are any; each is locked "
            "while it is looked at",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        which = self.which(options)
        if options["check"]:
            self._check(which)
            return
        if options["all"] or options["session"]:
            rebuild.list_again(**which)
        done, failed = self._rebuilt(which)
        self.stdout.write(f"{done:,} sessions read")
        if failed:
            raise CommandError(
                f"{failed:,} sessions could not be read and stay incomplete: "
                "manage.py verify tells what is wrong with them."
            )

    def _rebuilt(self, which: dict[str, Any]) -> tuple[int, int]:
        done = failed = 0
        said_at = monotonic()
        for session_id in rebuild.unsearched(**which):
            try:
                rebuild.rebuild(session_id)
                done += 1
            except (CorruptBody, DomainError) as error:
                failed += 1
                if failed <= NAMED:
                    self.stderr.write(f"{session_id}: {error}")
            if monotonic() - said_at > SECONDS_BETWEEN_LINES:
                said_at = monotonic()
                self.stdout.write(f"{done:,} sessions read, now {session_id}")
        return done, failed

    def _check(self, which: dict[str, Any]) -> None:
        done = lost = away = 0
        found = list[str]()
        for session_id in rebuild.sessions(**which):
            differs, is_away = self._differs(session_id)
            done += differs is not None and not is_away
            lost += differs is None
            away += is_away
            if differs:
                found.append(session_id)
                if len(found) <= NAMED:
                    self.stderr.write(f"{session_id}: {', '.join(differs)}")
        self.stdout.write(f"{done:,} sessions compared")
        if lost:
            self.stdout.write(
                f"{lost:,} more have lost something to a removal: what search reads of "
                "them follows from more than is left, and was not compared."
            )
        if found:
            raise CommandError(
                f"Search reads of {len(found):,} sessions something else than follows "
                f"from them; the first is {found[0]}. manage.py rebuild_search "
                "--all makes it anew; the proof is for manage.py verify."
            )
        if away:
            raise CommandError(f"{away:,} sessions cannot be read now: compare later.")

    def _differs(self, session_id: str) -> tuple[Sequence[str] | None, bool]:
        """Return what differs, and whether that cannot be known now.

        Where its store or its keys are away, nothing is wrong with what search reads.
        """
        try:
            return rebuild.differences(session_id), False
        except Busy as away:
            self.stderr.write(f"{session_id}: it cannot be read now: {away}")
            return (), True
        except (CorruptBody, DomainError) as error:
            return [f"it cannot be read: {error}"], False
