"""Questions about erasures, always asked within a project."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.db import models

from apps.erasures.errors import ErasureNotFound
from apps.retention.errors import PreviewNotFound

# So long an erasure can be begun with what a preview showed.
PREVIEW_COUNTS = timedelta(days=1)

if TYPE_CHECKING:
    from apps.erasures.models import Erasure, Preview, Target  # noqa: F401


class PreviewQuerySet(models.QuerySet["Preview"]):
    def one(self, project_id: str, id: str) -> Preview:
        """Raises: PreviewNotFound."""
        found = self.filter(project_id=project_id, id=id).first()
        if found is None:
            raise PreviewNotFound
        return found

    def stale(self, now: datetime) -> PreviewQuerySet:
        """Those that still name somebody, though nothing is begun with them."""
        return self.filter(created_at__lt=now - PREVIEW_COUNTS).exclude(value="")


class ErasureQuerySet(models.QuerySet["Erasure"]):
    def of_project(self, project_id: str) -> ErasureQuerySet:
        return self.filter(project_id=project_id)

    def one(self, id: str) -> Erasure:
        """Raises: ErasureNotFound."""
        found = self.filter(id=id).first()
        if found is None:
            raise ErasureNotFound
        return found

    def running(self) -> ErasureQuerySet:
        """Those that are not over, the oldest first."""
        return self.filter(state="running").select_related("project").order_by("id")

    def certified(self) -> ErasureQuerySet:
        return self.filter(state="done", entry__isnull=False)

    def ended_since(self, moment: datetime | None) -> ErasureQuerySet:
        return self.filter(ended_at__gte=moment) if moment else self.all()

    def older_than(self, id: str | None) -> ErasureQuerySet:
        return self.filter(id__lt=id) if id else self.all()

    def newest_first(self) -> ErasureQuerySet:
        return self.order_by("-id")


class TargetQuerySet(models.QuerySet["Target"]):
    def of(self, erasure_id: str) -> TargetQuerySet:
        return self.filter(erasure_id=erasure_id)

    def to_remove(self) -> TargetQuerySet:
        """Those that are there, the newest first: a fork goes before its origin."""
        return self.filter(is_gone=False).order_by("-history_id")
