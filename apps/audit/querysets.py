"""Questions about events and records: filters and the keyset of their pages."""

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self, TypeVar

from django.db import models
from django.db.models import Q

from apps.audit.fields import CurrentTransaction

if TYPE_CHECKING:
    from apps.audit.models import AuditRecord, Event  # noqa: F401


class EventQuerySet(models.QuerySet["Event"]):
    """Events; ids sort by time, so pages follow the id and nothing counts rows."""

    def for_project(self, project_id: str) -> Self:
        return self.filter(project_id=project_id)

    def for_stream(self, stream_id: str) -> Self:
        return self.filter(stream_id=stream_id)

    def with_action(self, actions: Iterable[str]) -> Self:
        return self.filter(action__in=list(actions))

    def of_this_transaction(self) -> Self:
        """Keep what the open transaction has recorded itself."""
        return self.filter(xid=CurrentTransaction())

    def matching(self, *, actor: str | None, resource_id: str | None) -> Self:
        """Keep what this actor did (by id or label), and what was done to this."""
        return matching(self, actor, resource_id)

    def from_id(self, id: str | None) -> Self:
        """Keep what is as new as the event with this id, or newer (all, for None)."""
        return self.filter(id__gte=id) if id else self.all()

    def between(self, start: datetime | None, end: datetime | None) -> Self:
        """Keep what was recorded from `start` on and before `end`."""
        found = self
        if start is not None:
            found = found.filter(created_at__gte=start)
        if end is not None:
            found = found.filter(created_at__lt=end)
        return found

    def before(self, id: str | None) -> Self:
        """Keep what is older than the event with this id (all, for None)."""
        return self.filter(id__lt=id) if id else self.all()

    def newest_first(self) -> Self:
        return self.order_by("-id")


class AuditRecordQuerySet(models.QuerySet["AuditRecord"]):
    """Records of one project's chain; pages follow the number."""

    def for_project(self, project_id: str) -> Self:
        return self.filter(project_id=project_id)

    def with_action(self, actions: Iterable[str]) -> Self:
        return self.filter(action__in=list(actions))

    def matching(self, *, actor: str | None, resource_id: str | None) -> Self:
        """Keep what this actor did (by id or label), and what was done to this."""
        return matching(self, actor, resource_id)

    def between(self, start: datetime | None, end: datetime | None) -> Self:
        """Keep what was recorded from `start` on and before `end`."""
        found = self
        if start is not None:
            found = found.filter(created_at__gte=start)
        if end is not None:
            found = found.filter(created_at__lt=end)
        return found

    def before(self, number: int | None) -> Self:
        return self.filter(number__lt=number) if number else self.all()

    def from_number(self, number: int) -> Self:
        return self.filter(number__gte=number)

    def newest_first(self) -> Self:
        return self.order_by("-number")

    def oldest_first(self) -> Self:
        return self.order_by("number")


Acts = TypeVar("Acts", bound="models.QuerySet[Any]")


def matching(found: Acts, actor: str | None, resource_id: str | None) -> Acts:
    if actor is not None:
        found = found.filter(Q(actor_id=actor) | Q(actor_label=actor))
    return found.filter(resource_id=resource_id) if resource_id is not None else found
