"""Questions about agents, always asked within one project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q

from apps.agents.errors import AgentNotFound

if TYPE_CHECKING:
    from apps.agents.models import Agent
    from apps.agents.scope import Scope

COUNTED = 1_000
# As `AgentStatus` has it, whose module imports this one.
DELETED = "deleted"


class AgentQuerySet(models.QuerySet["Agent"]):
    def of_project(self, project_id: str) -> AgentQuerySet:
        return self.filter(project_id=project_id)

    def visible_to(self, scope: Scope) -> AgentQuerySet:
        """What a caller may see: every question of a door starts here."""
        return self.of_project(scope.project.id).within(scope.agents)

    def named(self, reference: str) -> AgentQuerySet:
        """The agent called so by us or by its own code."""
        return self.filter(Q(id=reference) | Q(external_id=reference))

    def one_named(self, reference: str) -> Agent:
        """Raises: AgentNotFound."""
        found = self.named(reference).first()
        if found is None:
            raise AgentNotFound
        return found

    def within(self, external_ids: frozenset[str] | None) -> AgentQuerySet:
        """Narrow to the agents a key may touch; None means all."""
        return (
            self if external_ids is None else self.filter(external_id__in=external_ids)
        )

    def kept(self) -> AgentQuerySet:
        """Leave out those that were deleted."""
        return self.filter(deleted_at=None)

    def with_status(self, status: str | None) -> AgentQuerySet:
        """Narrow to a status that is shown; None is any but deleted."""
        if status == DELETED:
            return self.exclude(deleted_at=None)
        return self.kept() if status is None else self.kept().filter(status=status)

    def owned_by(self, owner: str | None) -> AgentQuerySet:
        return self if owner is None else self.filter(owner=owner)

    def of_team(self, team: str | None) -> AgentQuerySet:
        return self if team is None else self.filter(team=team)

    def tagged(self, tags: Sequence[str]) -> AgentQuerySet:
        """Narrow to those that have all of these tags."""
        return self.filter(tags__contains=list(tags)) if tags else self

    def described_by(self, words: str | None) -> AgentQuerySet:
        """Narrow to those whose description has these words, in any case."""
        return self if words is None else self.filter(description__icontains=words)

    def counted(self) -> int | None:
        """Return how many there are, exact up to 1,000; None for more."""
        found = self.order_by()[: COUNTED + 1].count()
        return found if found <= COUNTED else None

    def ids(self) -> list[str]:
        return list(self.order_by("id").values_list("id", flat=True))

    def newest_first(self) -> AgentQuerySet:
        return self.order_by("-id")

    def older_than(self, agent_id: str | None) -> AgentQuerySet:
        """Keyset: ids sort by the time they were made."""
        return self if agent_id is None else self.filter(id__lt=agent_id)
