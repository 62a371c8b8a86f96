"""Questions about budgets and price lists, always asked within one project."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.db import models

from apps.agents.scope import Scope
from apps.guards.errors import BudgetNotFound

if TYPE_CHECKING:
    # Named in the strings below.
    from apps.guards.models import Budget, PriceList

MOST_BUDGETS = 20


class BudgetQuerySet(models.QuerySet["Budget"]):
    def visible_to(self, scope: Scope) -> BudgetQuerySet:
        mine = self.filter(project_id=scope.project.id).select_related("agent")
        if scope.agents is None:
            return mine
        return mine.filter(agent__external_id__in=scope.agents)

    def of_session(self, session_id: str) -> BudgetQuerySet:
        return self.filter(session_id=session_id).order_by("id")

    def of_agent(self, agent_id: str) -> BudgetQuerySet:
        """Those of the agent and of its releases, not of its sessions."""
        return self.filter(agent_id=agent_id, session_id=None).order_by("id")

    def beyond_sessions(self) -> BudgetQuerySet:
        """Those that the rollups decide."""
        return self.filter(session_id=None).order_by("project_id", "agent_id", "id")

    def one(self, id: str) -> Budget:
        """Raises: BudgetNotFound."""
        found = self.filter(id=id).first()
        if found is None:
            raise BudgetNotFound(param="budget_id")
        return found

    def locked(self, id: str) -> Budget:
        """As `one`, held until the transaction ends.

        Raises: BudgetNotFound.
        """
        return self.select_for_update(no_key=True, of=("self",)).one(id)


class PriceListQuerySet(models.QuerySet["PriceList"]):
    def of_project(self, project_id: str) -> PriceListQuerySet:
        return self.filter(project_id=project_id).order_by("-valid_from")

    def at(self, moment: datetime) -> PriceList | None:
        """The one that is in force at a moment."""
        return self.filter(valid_from__lte=moment).order_by("-valid_from").first()
