"""Questions about policies, removals and legal holds, always asked within a project."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q

from apps.retention.errors import (
    LegalHoldNotFound,
    PolicyNotFound,
    PreviewNotFound,
    RemovalNotFound,
)

if TYPE_CHECKING:
    from apps.retention.models import LegalHold, Policy, Removal


class PolicyQuerySet(models.QuerySet["Policy"]):
    def of_project(self, project_id: str) -> PolicyQuerySet:
        return self.filter(project_id=project_id)

    def enabled(self) -> PolicyQuerySet:
        return self.filter(is_enabled=True)

    def of_the_same(self, policy: Policy) -> PolicyQuerySet:
        """Those about the same project or agent."""
        return self.filter(project_id=policy.project_id, agent_id=policy.agent_id)

    def one(self, id: str) -> Policy:
        """Raises: PolicyNotFound."""
        found = self.filter(id=id).select_related("agent").first()
        if found is None:
            raise PolicyNotFound
        return found

    def older_than(self, id: str | None) -> PolicyQuerySet:
        return self.filter(id__lt=id) if id else self.all()

    def newest_first(self) -> PolicyQuerySet:
        return self.select_related("agent").order_by("-id")


class RemovalQuerySet(models.QuerySet["Removal"]):
    def of_project(self, project_id: str) -> RemovalQuerySet:
        return self.filter(project_id=project_id)

    def previews(self) -> RemovalQuerySet:
        return self.filter(is_preview=True)

    def removals(self) -> RemovalQuerySet:
        return self.filter(is_preview=False)

    def one_preview(self, id: str) -> Removal:
        """Raises: PreviewNotFound."""
        found = self.previews().filter(id=id).first()
        if found is None:
            raise PreviewNotFound
        return found

    def one_removal(self, id: str) -> Removal:
        """Raises: RemovalNotFound."""
        found = self.removals().filter(id=id).first()
        if found is None:
            raise RemovalNotFound
        return found

    def of_policy(self, policy_id: str | None) -> RemovalQuerySet:
        return self.filter(policy_id=policy_id) if policy_id else self.all()

    def to_preview(self) -> RemovalQuerySet:
        """Previews that are to be counted, the oldest first."""
        return self.previews().filter(state="previewing").order_by("id")

    def running(self) -> RemovalQuerySet:
        return self.removals().filter(state="running")

    def older_than(self, id: str | None) -> RemovalQuerySet:
        return self.filter(id__lt=id) if id else self.all()

    def newest_first(self) -> RemovalQuerySet:
        return self.order_by("-id")


class LegalHoldQuerySet(models.QuerySet["LegalHold"]):
    def of_project(self, project_id: str) -> LegalHoldQuerySet:
        return self.filter(project_id=project_id)

    def standing(self, now: datetime) -> LegalHoldQuerySet:
        """Those that count at this moment."""
        return self.filter(Q(until=None) | Q(until__gt=now), ended_at=None)

    def about(
        self, project_id: str, *, session_id: str, user_id: str | None, agent_id: str
    ) -> LegalHoldQuerySet:
        """Those that a session comes under, by whatever they name it."""
        meant = (
            Q(kind="session", value=session_id)
            | Q(kind="agent", value=agent_id)
            | Q(kind="project", value=project_id)
        )
        if user_id is not None:
            meant |= Q(kind="user", value=user_id)
        return self.of_project(project_id).filter(meant)

    def one(self, id: str) -> LegalHold:
        """Raises: LegalHoldNotFound."""
        found = self.filter(id=id).first()
        if found is None:
            raise LegalHoldNotFound
        return found

    def older_than(self, id: str | None) -> LegalHoldQuerySet:
        return self.filter(id__lt=id) if id else self.all()

    def newest_first(self) -> LegalHoldQuerySet:
        return self.order_by("-id")
