"""Questions about watches, what waits to be sent, and hand-over notes."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from django.db import models

if TYPE_CHECKING:
    # Named in the strings below.
    from apps.watching.models import Handover, Notice, Watch  # noqa: F401


class WatchQuerySet(models.QuerySet["Watch"]):
    def in_projects(self, project_ids: Iterable[str]) -> WatchQuerySet:
        return self.filter(project_id__in=list(project_ids))

    def of_member(self, project_id: str, user_id: str) -> WatchQuerySet:
        return self.filter(project_id=project_id, user_id=user_id)

    def of_subject(self, subject_id: str) -> WatchQuerySet:
        return self.filter(subject_id=subject_id)


class NoticeQuerySet(models.QuerySet["Notice"]):
    def to_send(self, *, most: int, but_of: Collection[str] = ()) -> list[Notice]:
        """Claim the oldest of other watches; what another worker sends is passed by."""
        waiting = self.exclude(watch_id__in=but_of)
        waiting = waiting.select_for_update(skip_locked=True, of=("self",))
        in_order = waiting.select_related("watch__project").order_by(
            "watch_id", "event_id"
        )
        return list(in_order[:most])


class HandoverQuerySet(models.QuerySet["Handover"]):
    def newest(self, project_id: str, *, most: int) -> list[Handover]:
        """The newest of a project; ids sort by when they were written."""
        return list(self.filter(project_id=project_id).order_by("-id")[:most])
