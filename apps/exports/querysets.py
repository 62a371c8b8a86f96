"""Questions about exports, always asked within a project."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.db import models

from apps.data.errors import ExportNotFound
from apps.exports.words import State

if TYPE_CHECKING:
    # Named in the strings below.
    from apps.exports.models import Export, Piece  # noqa: F401

# Of an export in these states pieces are kept.
KEEPING = (State.MAKING, State.READY)


class ExportQuerySet(models.QuerySet["Export"]):
    def of_project(self, project_id: str) -> ExportQuerySet:
        return self.filter(project_id=project_id)

    def one(self, id: str) -> Export:
        """Raises: ExportNotFound."""
        found = self.filter(id=id).first()
        if found is None:
            raise ExportNotFound
        return found

    def making(self) -> ExportQuerySet:
        """Those that are not over, the oldest first."""
        return self.filter(state=State.MAKING).order_by("id")

    def over(self, now: datetime) -> ExportQuerySet:
        """Those whose file has been kept for as long as it is."""
        return self.filter(state=State.READY, expires_at__lte=now)

    def with_remains(self) -> ExportQuerySet:
        """Those that are over, and whose pieces are still to go."""
        remains = self.exclude(state__in=KEEPING).filter(piece__isnull=False)
        return remains.distinct().order_by("id")

    def older_than(self, id: str | None) -> ExportQuerySet:
        return self.filter(id__lt=id) if id else self.all()

    def newest_first(self) -> ExportQuerySet:
        return self.order_by("-id")


class PieceQuerySet(models.QuerySet["Piece"]):
    def of_export(self, export_id: str) -> PieceQuerySet:
        """Those of one export, as they follow each other."""
        return self.filter(export_id=export_id).order_by("number")
