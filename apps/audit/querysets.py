"""Questions about events and records: filters and the keyset of their pages."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Self, TypeVar

from django.db import models
from django.db.models import Q
from django.db.models.fields.json import KeyTextTransform
from django.db.models.lookups import Exact, In, IsNull

from apps.core import keyset

if TYPE_CHECKING:
    from apps.audit.models import AuditRecord, Event  # noqa: F401


Row = TypeVar("Row", bound=models.Model)
# What the events of memories have as their `resource_type`, and where they say which
# session taught them.
MEMORY = "memory"
SOURCE_SESSION = KeyTextTransform("session_id", "details")


# So far may the clock of a session be ahead of the one that ids are made by: time does
# not run backwards in a session, whatever the host's clock does.
CLOCK = timedelta(days=1)


class ActQuerySet(models.QuerySet[Row]):
    """What is asked of events and records alike."""

    def for_project(self, project_id: str) -> Self:
        return self.filter(project_id=project_id)

    def with_action(self, actions: Iterable[str]) -> Self:
        return self.filter(action__in=list(actions))

    def matching(self, *, actor: str | None, resource_id: str | None) -> Self:
        """Keep what this actor did (by id or label), and what was done to this."""
        found = self
        if actor is not None:
            found = found.filter(Q(actor_id=actor) | Q(actor_label=actor))
        if resource_id is not None:
            found = found.filter(resource_id=resource_id)
        return found

    def between(self, start: datetime | None, end: datetime | None) -> Self:
        """Keep what was recorded from `start` on and before `end`."""
        found = self
        if start is not None:
            found = found.filter(created_at__gte=start)
        if end is not None:
            found = found.filter(created_at__lt=end)
        return found


class EventQuerySet(ActQuerySet["Event"]):
    """Events; ids sort by time, so pages follow the id and nothing counts rows."""

    def for_stream(self, stream_id: str) -> Self:
        return self.filter(stream_id=stream_id)

    def of_memories(self, *, taught_by: str | None = None) -> Self:
        """Keep what was done to memories, or to those that this session taught."""
        found = self.filter(resource_type=MEMORY)
        if taught_by is None:
            return found
        return found.filter(Exact(SOURCE_SESSION, taught_by))

    def of_memories_taught_in(
        self, session_ids: models.QuerySet[Any, Any], *, or_of: Iterable[str] = ()
    ) -> Self:
        """Keep what was done to memories that these sessions taught.

        And to what agents of these names know that no session has taught.
        """
        taught = Q(In(SOURCE_SESSION, session_ids))
        own = Q(IsNull(SOURCE_SESSION, True), details__scope="agent")
        names = list(or_of)
        if names:
            taught |= own & Q(details__owner__in=names)
        return self.of_memories().filter(taught)

    def between(self, start: datetime | None, end: datetime | None) -> Self:
        """As of all acts, through the ids: no index has `created_at`."""
        found = super().between(start, end)
        first, last = keyset.id_bounds("trace", start, end, earlier=CLOCK)
        if start is not None:
            found = found.filter(id__gte=first)
        return found if end is None else found.filter(id__lt=last)

    def with_ids(self, ids: Iterable[str]) -> Self:
        return self.filter(id__in=list(ids))

    def from_id(self, id: str | None) -> Self:
        """Keep what is as new as the event with this id, or newer (all, for None)."""
        return self.filter(id__gte=id) if id else self.all()

    def before(self, id: str | None) -> Self:
        """Keep what is older than the event with this id (all, for None)."""
        return self.filter(id__lt=id) if id else self.all()

    def newest_first(self) -> Self:
        return self.order_by("-id")


class AuditRecordQuerySet(ActQuerySet["AuditRecord"]):
    """Records of one stream's chain; pages follow the number."""

    def for_stream(self, stream_id: str) -> Self:
        return self.filter(stream_id=stream_id)

    def for_project(self, project_id: str) -> Self:
        """Keep a project's own chain: its agents' streams are none of it."""
        return self.for_stream(project_id)

    def within(self, start: datetime | None, end: datetime | None) -> Self:
        """As `between`, through the ids of their events, which an index has."""
        found = self.between(start, end)
        first, last = keyset.id_bounds("trace", start, end, earlier=CLOCK)
        if start is not None:
            found = found.filter(event_id__gte=first)
        return found if end is None else found.filter(event_id__lt=last)

    def before(self, number: int | None) -> Self:
        return self.filter(number__lt=number) if number else self.all()

    def from_number(self, number: int) -> Self:
        return self.filter(number__gte=number)

    def newest_first(self) -> Self:
        return self.order_by("-number")

    def oldest_first(self) -> Self:
        return self.order_by("number")
