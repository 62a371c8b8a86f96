"""Questions about agents, always asked within one project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q

if TYPE_CHECKING:
    from apps.agents.models import Agent  # noqa: F401 - named in a string below


class AgentQuerySet(models.QuerySet["Agent"]):
    def of_project(self, project_id: str) -> AgentQuerySet:
        return self.filter(project_id=project_id)

    def named(self, reference: str) -> AgentQuerySet:
        """The agent called so by us or by its own code."""
        return self.filter(Q(id=reference) | Q(external_id=reference))

    def within(self, external_ids: frozenset[str] | None) -> AgentQuerySet:
        """Narrow to the agents a key may touch; None means all."""
        return (
            self if external_ids is None else self.filter(external_id__in=external_ids)
        )

    def with_status(self, status: str | None) -> AgentQuerySet:
        return self.filter(status=status) if status else self

    def owned_by(self, owner: str | None) -> AgentQuerySet:
        return self.filter(owner=owner) if owner else self

    def newest_first(self) -> AgentQuerySet:
        return self.order_by("-id")

    def older_than(self, agent_id: str | None) -> AgentQuerySet:
        """Keyset: ids sort by the time they were made."""
        return self.filter(id__lt=agent_id) if agent_id else self
