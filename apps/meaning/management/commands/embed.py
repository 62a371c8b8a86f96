"""manage.py embed: embeds what the model of the settings has not, of everything."""

from __future__ import annotations

from time import monotonic
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from apps.accounts.management.command import AccountsCommand
from apps.core.roles.names import Role
from apps.meaning import embedding
from apps.meaning.embedding import EmbeddingFailed
from apps.meaning.past import sweeping as past
from apps.meaning.working import remaking

SECONDS_BETWEEN_LINES = 5


class Command(AccountsCommand):
    role = Role.WORKER
    help = (
        "Embed all values that have no vector of the model that is set, as after a "
        "change of model. Everything goes on meanwhile; it can be stopped and started "
        "again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--all",
            action="store_true",
            help="also what has one: after another model came under the same name",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            done = self._embedded(is_all=options["all"])
        except EmbeddingFailed as error:
            raise CommandError(
                f"{error} What is embedded stays: run it again to go on."
            ) from error
        self.stdout.write(f"{done:,} texts embedded by {embedding.name()}")

    def _embedded(self, *, is_all: bool) -> int:
        embedder = embedding.current()
        done = 0
        said_at = monotonic()
        for document_id in remaking.documents():
            if is_all:
                remaking.forget(document_id)
            done += remaking.remake(document_id, embedder, now=timezone.now())
            if monotonic() - said_at > SECONDS_BETWEEN_LINES:
                said_at = monotonic()
                self.stdout.write(f"{done:,} texts embedded, now {document_id}")
        # Old states, of the projects that search them by meaning.
        while some := past.sweep(now=timezone.now()):
            done += some
        return done
