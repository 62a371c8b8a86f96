"""manage.py embed: embeds what the model of the settings has not, of everything."""

from __future__ import annotations

from collections import Counter
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
from apps.meaning.working.reading import embedder_of

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
        for model, count in (done or {embedding.name(): 0}).items():
            self.stdout.write(f"{count:,} texts embedded by {model}")

    def _embedded(self, *, is_all: bool) -> Counter[str]:
        embedding.current()
        done: Counter[str] = Counter()
        said_at = monotonic()
        for document_id in remaking.documents():
            if is_all:
                remaking.forget(document_id)
            embedder = embedder_of(document_id)
            some = remaking.remake(document_id, embedder, now=timezone.now())
            if some:
                done[embedder.name] += some
            if monotonic() - said_at > SECONDS_BETWEEN_LINES:
                said_at = monotonic()
                self.stdout.write(f"{done.total():,} texts embedded, now {document_id}")
        # Old states, of the projects that search them by meaning.
        while some := past.sweep(now=timezone.now()):
            done[embedding.name()] += some
        return done
