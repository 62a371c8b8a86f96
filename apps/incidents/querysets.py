"""Questions about incidents and their sessions, always asked within one project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Count, Q

from apps.agents.scope import Scope
from apps.core.actors import Actor
from apps.incidents.errors import IncidentNotFound, NotInIncident

# What the sweep of checks has found of a session.
VERDICT = ("verdict", "bad_session_id", "bad_number", "bad_release", "bad_at")

if TYPE_CHECKING:
    # Named in the strings below.
    from apps.incidents.models import Entry, Incident, Member  # noqa: F401


class IncidentQuerySet(models.QuerySet["Incident"]):
    def of_project(self, project_id: str) -> IncidentQuerySet:
        return self.filter(project_id=project_id)

    def one(self, id: str) -> Incident:
        """Raises: IncidentNotFound."""
        found = self.filter(id=id).select_related("project").first()
        if found is None:
            raise IncidentNotFound
        return found

    def locked(self, id: str) -> Incident:
        """As `one`, held until the transaction ends.

        Raises: IncidentNotFound.
        """
        held = self.select_for_update(no_key=True, of=("self",))
        return held.one(id)

    def next_number(self, project_id: str) -> int:
        """Return the number of the next one; the caller holds the project."""
        newest = self.filter(project_id=project_id).order_by("-number")
        return (newest.values_list("number", flat=True).first() or 0) + 1

    def numbered(self, number: int | None) -> IncidentQuerySet:
        return self if number is None else self.filter(number=number)

    def watched(self) -> IncidentQuerySet:
        """Those that were resolved, and whose check may open them again."""
        return self.filter(check_text__isnull=False, status="resolved").order_by("id")

    def with_status(self, status: str | None) -> IncidentQuerySet:
        return self if status is None else self.filter(status=status)

    def count_open(self, project_id: str, *, most: int) -> int:
        """Return how many nobody has put right, up to one more than `most`.

        For every page of the console: it is one look at an index.
        """
        found = self.filter(project_id=project_id, status="open")
        return found[: most + 1].count()

    def to_check(self) -> IncidentQuerySet:
        """Those whose check is still to be looked for, the oldest first."""
        waiting = self.filter(check_text__isnull=False, checked_at__isnull=True)
        return waiting.order_by("id")

    def older_than(self, id: str | None) -> IncidentQuerySet:
        return self.filter(id__lt=id) if id else self.all()

    def newest_first(self) -> IncidentQuerySet:
        return self.order_by("-id")


class MemberQuerySet(models.QuerySet["Member"]):
    def of_incident(self, incident_id: str) -> MemberQuerySet:
        return self.filter(incident_id=incident_id)

    def seen_by(self, scope: Scope) -> MemberQuerySet:
        """Narrow to the agents that a key may see."""
        if scope.agents is None:
            return self
        return self.filter(agent__external_id__in=scope.agents)

    def still_in(self) -> MemberQuerySet:
        """Those that nobody has taken out."""
        return self.filter(removed_at__isnull=True)

    def newest_first(self, *, after_id: str | None = None) -> MemberQuerySet:
        """Keyset by the session's id, which sorts by creation."""
        found = self.filter(session_id__lt=after_id) if after_id else self
        return found.select_related("agent").order_by("-session_id")

    def to_look_at(self) -> MemberQuerySet:
        """Those of which it is not known what the check says."""
        return self.still_in().filter(verdict__isnull=True).order_by("session_id")

    def forget_verdicts(self) -> None:
        """Have them looked into anew: what was found no longer tells of them."""
        self.exclude(verdict=None).update(**dict.fromkeys(VERDICT))

    def held(self, session_id: str) -> Member:
        """Return one that is in the incident, held until the transaction ends.

        Raises: NotInIncident.
        """
        found = self.still_in().filter(session_id=session_id)
        held = found.select_for_update(no_key=True, of=("self",)).first()
        if held is None:
            raise NotInIncident
        return held

    def counts(self, incident_ids: list[str]) -> dict[str, int]:
        """Return how many sessions are in each of these incidents."""
        some = self.still_in().filter(incident_id__in=incident_ids)
        found = some.values("incident_id").annotate(n=Count("session_id")).order_by()
        return {row["incident_id"]: row["n"] for row in found}


class EntryQuerySet(models.QuerySet["Entry"]):
    def of_incident(self, incident_id: str) -> EntryQuerySet:
        return self.filter(incident_id=incident_id)

    def told_to(self, actor: Actor, scope: Scope) -> EntryQuerySet:
        """What a key that is limited to agents may read: its own deeds and statuses.

        What others wrote may speak of sessions of other agents.
        """
        if scope.agents is None:
            return self
        own = Q(actor_kind=actor.kind, actor_id=actor.id)
        return self.filter(own | Q(deed="status"))

    def newer_than(self, id: str | None) -> EntryQuerySet:
        return self.filter(id__gt=id) if id else self.all()

    def in_order(self) -> EntryQuerySet:
        return self.order_by("id")
