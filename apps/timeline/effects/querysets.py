"""Questions about effects that the ORM answers."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.db import models

if TYPE_CHECKING:
    from apps.timeline.effects.compensations import Compensation  # noqa: F401
    from apps.timeline.effects.rows import Effect, EffectDue  # noqa: F401


class EffectQuerySet(models.QuerySet["Effect"]):
    def of_session(self, session_id: str) -> EffectQuerySet:
        return self.filter(session_id=session_id)


class DueQuerySet(models.QuerySet["EffectDue"]):
    def over(self, *, now: datetime) -> DueQuerySet:
        """Those whose deadline is over, the first first."""
        return self.filter(due_at__lte=now).order_by("due_at")


class CompensationQuerySet(models.QuerySet["Compensation"]):
    def of_rollback(self, session_id: str, number: int) -> CompensationQuerySet:
        return self.filter(session_id=session_id, rollback_number=number)
