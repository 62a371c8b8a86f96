"""Questions about memories."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Count, F, Func, Q, Value

if TYPE_CHECKING:
    # Named in the strings below.
    from apps.memory.models import ContextRead, Memory  # noqa: F401

# What stands: it reinforces and is near to others.
STANDING = ("believed", "proposed")
MARKS = "memory_marks_v1"


def _marks(document_id: Any, words: Any) -> Func:
    """Return words as the numbers of their document that they are indexed by."""
    numbers = ArrayField(models.BigIntegerField())
    return Func(document_id, words, function=MARKS, output_field=numbers)


class MemoryQuerySet(models.QuerySet["Memory"]):
    """Memories of any document; ids sort by the time they were made."""

    def of(self, document_ids: Iterable[str]) -> MemoryQuerySet:
        return self.filter(document_id__in=list(document_ids))

    def of_project(self, project_id: str) -> MemoryQuerySet:
        return self.filter(project_id=project_id)

    def alive(self, *, now: datetime) -> MemoryQuerySet:
        """Neither removed nor expired."""
        return self.exclude(status="removed").not_over(now=now)

    def not_over(self, *, now: datetime) -> MemoryQuerySet:
        """Return those that have not expired, removed or not."""
        return self.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=now))

    def standing(self, *, now: datetime) -> MemoryQuerySet:
        """Return those that are believed or proposed."""
        return self.alive(now=now).filter(status__in=STANDING)

    def believed(self, *, now: datetime) -> MemoryQuerySet:
        # As the index has it that they are counted by.
        return self.filter(status="believed").not_over(now=now)

    def narrowed(
        self, *, types: Collection[str] = (), tags: Collection[str] = ()
    ) -> MemoryQuerySet:
        """Keep those of one of these types that have one of these tags."""
        found = self
        if types:
            found = found.filter(type__in=list(types))
        if tags:
            found = found.filter(tags__overlap=list(tags))
        return found

    def with_a_word_of(
        self, document_id: str, words: Collection[str]
    ) -> MemoryQuerySet:
        """Keep those of a document that have one of these words, and maybe others.

        Two words may have one number: compare the words of what comes.
        """
        texts = ArrayField(models.TextField())
        asked = _marks(Value(document_id), Value(list(words), output_field=texts))
        return self.alias(marks=_marks(F("document_id"), F("words"))).filter(
            marks__overlap=asked
        )

    def taught_by(self, session_id: str, *, now: datetime) -> MemoryQuerySet:
        """Return what a session taught, and nobody has taken back."""
        mine = self.alive(now=now).filter(taught_by__contains=[session_id])
        # A patch that was taken is no belief, but a version of the session.
        return mine.exclude(status__in=("dropped", "taken"))

    def untraced(self, *, now: datetime) -> MemoryQuerySet:
        """Return those of which not everybody is known who said them."""
        return self.standing(now=now).filter(untraced__gt=0)

    def due(self, now: datetime) -> MemoryQuerySet:
        """Return those whose time is over, which nobody has recorded."""
        return self.filter(expires_at__lte=now).exclude(status="removed")

    def newest_first(self, *, after_id: str | None = None) -> MemoryQuerySet:
        found = self.filter(id__lt=after_id) if after_id else self
        return found.order_by("-id")

    def counted_of_sessions(
        self, session_ids: Sequence[str], *, now: datetime
    ) -> dict[str, int]:
        """Return how many each of these sessions has of its own."""
        mine = self.filter(scope="session", owner__in=list(session_ids))
        found = mine.alive(now=now).values_list("owner").annotate(Count("id"))
        return dict(found.order_by())


class ContextReadQuerySet(models.QuerySet["ContextRead"]):
    """What sessions read; ids sort by the time of reading."""

    def of_session(self, session_id: str) -> ContextReadQuerySet:
        return self.filter(session_id=session_id)

    def newest_first(self, *, after_id: str | None = None) -> ContextReadQuerySet:
        found = self.filter(id__lt=after_id) if after_id else self
        return found.order_by("-id")
