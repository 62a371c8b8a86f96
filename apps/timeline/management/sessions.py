"""What commands share that go through sessions: which of them are meant."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from apps.accounts.management.command import AccountsCommand, project_called
from apps.timeline.models import Session
from apps.timeline.querysets import SessionQuerySet


class SessionsCommand(AccountsCommand):
    """A command for one session, one project, or everything."""

    def add_arguments(self, parser: CommandParser) -> None:
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--session", metavar="ID", help="one session alone")
        which.add_argument("--project", metavar="SLUG", help="one project alone")

    def which(self, options: dict[str, Any]) -> dict[str, Any]:
        """Return the ids that were asked for; None is not asked for.

        Raises: CommandError for a project or a session that there is not.
        """
        slug, session_id = options["project"], options["session"]
        project_id = project_called(slug).id if slug else None
        if session_id and not Session.with_documents.filter(id=session_id).exists():
            raise CommandError(f"There is no session {session_id}.")
        return {"project_id": project_id, "session_id": session_id}


def histories() -> SessionQuerySet:
    """Return what has a history to be verified: sessions and keyed documents."""
    return Session.with_documents.all()
