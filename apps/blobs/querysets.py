"""Questions about blobs and their uses."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import models

from apps.blobs.words import State

if TYPE_CHECKING:
    from apps.blobs.models import Blob, Use  # noqa: F401


class BlobQuerySet(models.QuerySet["Blob"]):
    def of_project(self, project_id: str) -> BlobQuerySet:
        return self.filter(project_id=project_id)

    def named(self, digests: Collection[str]) -> BlobQuerySet:
        return self.filter(digest__in=digests)

    def stored(self) -> BlobQuerySet:
        return self.filter(state=State.STORED)

    def condemned(self) -> BlobQuerySet:
        return self.filter(state=State.CONDEMNED)

    def nameable_by(self, agents: Collection[str] | None) -> BlobQuerySet:
        """Those that keys for these agents may name; None is every agent."""
        if agents is None:
            return self
        from apps.blobs.models import Grant

        granted: Any = Grant.objects.filter(
            project_id=models.OuterRef("project_id"),
            digest=models.OuterRef("digest"),
            agent__in=agents,
        )
        return self.filter(models.Exists(granted))

    def unused(self) -> BlobQuerySet:
        """Those that no version names."""
        from apps.blobs.models import Use

        uses: Any = Use.objects.filter(
            project_id=models.OuterRef("project_id"), digest=models.OuterRef("digest")
        )
        return self.filter(~models.Exists(uses))

    def lapsed(self, now: datetime) -> BlobQuerySet:
        return self.filter(leased_until__lte=now)

    def of_nobody(self) -> BlobQuerySet:
        """Those that no erasure takes away, and counts."""
        return self.filter(erasure_id=None)

    def of_erasure(self, erasure_id: str) -> BlobQuerySet:
        return self.filter(erasure_id=erasure_id)


class UseQuerySet(models.QuerySet["Use"]):
    def of_session(self, session_id: str) -> UseQuerySet:
        return self.filter(session_id=session_id)

    def digests(self) -> list[str]:
        """Return each digest once."""
        return list(self.order_by("digest").values_list("digest", flat=True).distinct())
