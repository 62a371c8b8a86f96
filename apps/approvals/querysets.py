"""Questions about approvals, votes and rules, always asked within one project."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Exists, OuterRef, Q

from apps.approvals.errors import ApprovalNotFound, ApprovalRuleNotFound

if TYPE_CHECKING:
    from apps.agents.scope import Scope
    from apps.approvals.models import (  # noqa: F401
        Approval,
        ApprovalRule,
        Undecided,
        Vote,
    )

# Rules of one agent, which each request reads.
MOST_RULES = 50


class ApprovalQuerySet(models.QuerySet["Approval"]):
    def visible_to(self, scope: Scope) -> ApprovalQuerySet:
        """The project's; for a key that is limited to some agents, of these."""
        mine = self.filter(project_id=scope.project.id)
        if scope.agents is None:
            return mine
        return mine.filter(agent__external_id__in=scope.agents)

    def of_session(self, session_id: str) -> ApprovalQuerySet:
        return self.filter(session_id=session_id)

    def one(self, id: str) -> Approval:
        """Raises: ApprovalNotFound."""
        found = self.filter(id=id).select_related("agent").first()
        if found is None:
            raise ApprovalNotFound
        return found

    def oldest_first(self) -> ApprovalQuerySet:
        return self.select_related("agent").order_by("id")

    def newest_first(self, *, before: str | None) -> ApprovalQuerySet:
        found = self.filter(id__lt=before) if before else self
        return found.select_related("agent").order_by("-id")

    def of_each_row(self, id_name: str, effect_class: str) -> ApprovalQuerySet:
        """The approval that a row of another table names, if it is of this class."""
        return self.filter(
            session_id=OuterRef("session_id"),
            id=OuterRef(id_name),
            effect_class=effect_class,
        )

    def by_id(
        self, pairs: Sequence[tuple[str, str]], *, with_agents: bool = True
    ) -> dict[str, Approval]:
        """Return those of these sessions and ids, by id."""
        sessions = {session_id for session_id, _ in pairs}
        found = self.filter(session_id__in=sessions, id__in=[id for _, id in pairs])
        found = found.select_related("agent") if with_agents else found
        return {one.id: one for one in found[: len(pairs)]}


class VoteQuerySet(models.QuerySet["Vote"]):
    def of(self, session_id: str, approval_id: str) -> list[Vote]:
        """Return all of one approval, in their order."""
        found = self.filter(session_id=session_id, approval_id=approval_id)
        return list(found.order_by("ordinal"))

    def of_each(self, approvals: Sequence[Approval]) -> dict[str, list[Vote]]:
        """Return those of several, by approval."""
        found: dict[str, list[Vote]] = {one.id: [] for one in approvals}
        votes = self.filter(
            session_id__in={one.session_id for one in approvals},
            approval_id__in=list(found),
        ).order_by("session_id", "approval_id", "ordinal")
        for vote in votes[: 100 * len(found)]:
            found[vote.approval_id].append(vote)
        return found

    def ending(self, scope: Scope) -> VoteQuerySet:
        """Those that decided something a caller sees, the newest first."""
        later = self.model.objects.filter(
            session_id=OuterRef("session_id"),
            approval_id=OuterRef("approval_id"),
            ordinal__gt=OuterRef("ordinal"),
            outcome__isnull=False,
        )
        mine = self.filter(
            ~Exists(later), project_id=scope.project.id, outcome__isnull=False
        )
        if scope.agents is not None:
            mine = mine.filter(agent__external_id__in=scope.agents)
        return mine.order_by("-created_at", "-approval_id")

    def before(self, place: tuple[datetime, str] | None) -> VoteQuerySet:
        if place is None:
            return self
        at, approval_id = place
        return self.filter(created_at__lte=at).filter(
            Q(created_at__lt=at) | Q(approval_id__lt=approval_id)
        )


class UndecidedQuerySet(models.QuerySet["Undecided"]):
    def visible_to(self, scope: Scope) -> UndecidedQuerySet:
        mine = self.filter(project_id=scope.project.id)
        if scope.agents is None:
            return mine
        return mine.filter(agent__external_id__in=scope.agents)

    def of_session(self, session_id: str) -> UndecidedQuerySet:
        return self.filter(session_id=session_id)

    def first_due(self) -> UndecidedQuerySet:
        return self.order_by("due_at", "approval_id")

    def after(self, place: tuple[datetime, str] | None) -> UndecidedQuerySet:
        if place is None:
            return self
        at, approval_id = place
        return self.filter(due_at__gte=at).filter(
            Q(due_at__gt=at) | Q(approval_id__gt=approval_id)
        )

    def due(self, now: datetime) -> UndecidedQuerySet:
        return self.filter(due_at__lte=now).order_by("due_at")


class ApprovalRuleQuerySet(models.QuerySet["ApprovalRule"]):
    def of_agent(self, project_id: str, agent_id: str) -> ApprovalRuleQuerySet:
        return self.filter(project_id=project_id, agent_id=agent_id).order_by("id")

    def one(self, id: str) -> ApprovalRule:
        """Raises: ApprovalRuleNotFound."""
        found = self.filter(id=id).first()
        if found is None:
            raise ApprovalRuleNotFound(param="rule_id")
        return found
