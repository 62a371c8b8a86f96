"""Questions about what is kept of agents' data beside the ledger."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models import Count, Q, Subquery, Value
from django.db.models.functions import Coalesce

from apps.core.provenance import Provenance

if TYPE_CHECKING:
    # Named in the strings below.
    from apps.data.models import (  # noqa: F401
        Checkpoint,
        LongRestore,
        PolicyException,
        Schedule,
    )

# Of one agent, whatever its policies say.
MOST_KEPT = 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Keep:
    """How many checkpoints are kept, the newest of them, and for how many days."""

    last: int = MOST_KEPT
    days: float | None = None

    def since(self, now: datetime) -> datetime | None:
        """Return from when on those that are kept were made; None for ever."""
        return None if self.days is None else now - timedelta(days=self.days)


class CheckpointQuerySet(models.QuerySet["Checkpoint"]):
    """Checkpoints; a document's own come in the order of their ordinals."""

    def of(self, document_id: str) -> CheckpointQuerySet:
        """Return those of a document that nobody has hidden."""
        return self.filter(session_id=document_id, hidden_at__isnull=True)

    def newest_first(self) -> CheckpointQuerySet:
        return self.order_by("-ordinal")

    def kept(self, keep: Keep, now: datetime) -> CheckpointQuerySet:
        """Return of one document's what these policies keep."""
        return self.filter(self._is_kept(keep, now))

    def not_kept(self, keep: Keep, now: datetime) -> CheckpointQuerySet:
        """Return of one document's what these policies keep no more."""
        return self.exclude(self._is_kept(keep, now))

    def counted(self, document_ids: Iterable[str]) -> dict[str, int]:
        """Return how many each of these documents has that nobody has hidden."""
        mine = self.filter(session_id__in=list(document_ids), hidden_at__isnull=True)
        found = mine.values_list("session_id").annotate(Count("ordinal"))
        return dict(found.order_by())

    def _is_kept(self, keep: Keep, now: datetime) -> Q:
        last = self.newest_first().values("ordinal")[keep.last - 1 : keep.last]
        first: Any = Coalesce(Subquery(last), Value(0))
        is_kept = Q(ordinal__gte=first)
        since = keep.since(now)
        return is_kept if since is None else is_kept & Q(created_at__gte=since)


class ExceptionQuerySet(models.QuerySet["PolicyException"]):
    """Exceptions from policies; ids sort by the time they were made."""

    def of(self, document_id: str) -> ExceptionQuerySet:
        return self.filter(session_id=document_id)

    def newest_first(self) -> ExceptionQuerySet:
        return self.order_by("-id")

    def standing(self, now: datetime) -> ExceptionQuerySet:
        """Return those that let something pass at this moment."""
        return self.filter(ended_at__isnull=True, expires_at__gt=now)


class ScheduleQuerySet(models.QuerySet["Schedule"]):
    """Schedules of checkpoints, of all agents."""

    def due(self, now: datetime) -> ScheduleQuerySet:
        """Return those whose moment has come, the oldest first."""
        return self.filter(due_at__lte=now).order_by("due_at")


class LongRestoreQuerySet(models.QuerySet["LongRestore"]):
    """Restores that go by steps, of all agents; ids sort by when they began."""

    def of(self, document_id: str) -> LongRestoreQuerySet:
        return self.filter(session_id=document_id)

    def since(self, moment: datetime) -> LongRestoreQuerySet:
        """Return those that are not over, or ended after this moment."""
        return self.filter(Q(ended_at__isnull=True) | Q(ended_at__gt=moment))

    def running(self) -> LongRestoreQuerySet:
        """Return those that are not over, the oldest first."""
        return self.filter(state="running").order_by("created_at")

    def of_request(self, act: Provenance) -> LongRestoreQuerySet:
        """Return those that a request began, by its key or else by what it says."""
        if act.request.key is not None:
            return self.filter(request_key=act.request.key)
        if not act.request.digest:
            return self.none()
        return self.filter(
            request_key__isnull=True,
            request_digest=act.request.digest,
            actor_kind=act.actor.kind,
            actor_id=act.actor.id,
        )

    def newest_first(self) -> LongRestoreQuerySet:
        return self.order_by("-id")
