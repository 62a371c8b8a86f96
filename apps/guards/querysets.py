"""Questions about budgets, price lists and guards, always asked within one project."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import models

from apps.agents.scope import Scope
from apps.guards.errors import BudgetNotFound, GuardNotFound, TrialNotFound

if TYPE_CHECKING:
    # Named in the strings below.
    from apps.guards.models import (  # noqa: F401
        Budget,
        Guard,
        PriceList,
        Refusal,
        Trial,
        Verdict,
    )

MOST_BUDGETS = 20
# Each has its share of what may be looked at in one append.
MOST_GUARDS = 10


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

    def standing_so(self, session_ids: Sequence[str], word: str) -> set[str]:
        """Those of these sessions that have such a budget of their own."""
        mine = self.filter(session_id__in=session_ids)
        if word == "warned":
            mine = mine.filter(warned_at__isnull=False, reached_at__isnull=True)
        elif word == "reached":
            mine = mine.filter(reached_at__isnull=False)
        found = mine.values_list("session_id", flat=True)[
            : MOST_BUDGETS * len(session_ids)
        ]
        return {one for one in found if one is not None}

    def beyond_sessions(self, after: tuple[str, str] | None = None) -> BudgetQuerySet:
        """Those that the rollups decide, or those behind a budget of an agent."""
        mine = self.filter(session_id=None).order_by("agent_id", "id")
        if after is None:
            return mine
        agent_id, id = after
        behind = models.Q(agent_id__gt=agent_id) | models.Q(id__gt=id)
        return mine.filter(behind, agent_id__gte=agent_id)

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


class GuardQuerySet(models.QuerySet["Guard"]):
    def visible_to(self, scope: Scope) -> GuardQuerySet:
        mine = self.filter(project_id=scope.project.id).select_related("agent")
        if scope.agents is None:
            return mine
        return mine.filter(agent__external_id__in=scope.agents)

    def of_agent(self, agent_id: str) -> GuardQuerySet:
        """Those that hold, the oldest first."""
        return self.filter(agent_id=agent_id, withdrawn_at=None).order_by("id")

    def one(self, id: str) -> Guard:
        """Raises: GuardNotFound."""
        found = self.filter(id=id).first()
        if found is None:
            raise GuardNotFound(param="guard_id")
        return found

    def locked(self, id: str) -> Guard:
        """As `one`, held until the transaction ends.

        Raises: GuardNotFound.
        """
        return self.select_for_update(no_key=True, of=("self",)).one(id)


class VerdictQuerySet(models.QuerySet["Verdict"]):
    def of_session(self, session_id: str) -> VerdictQuerySet:
        """Those of a session that was looked up already, the newest first."""
        mine = self.filter(session_id=session_id).select_related("guard")
        return mine.order_by("-number", "-turn_number", "-guard_id")

    def below(self, number: int, turn_number: int, guard_id: str) -> VerdictQuerySet:
        """Those after this one in that order."""
        return self.filter(
            models.Q(number__lt=number)
            | models.Q(number=number, turn_number__lt=turn_number)
            | models.Q(number=number, turn_number=turn_number, guard_id__lt=guard_id)
        )

    def of_guard(self, guard_id: str) -> VerdictQuerySet:
        """Those of one guard in all sessions, the newest first."""
        mine = self.filter(guard_id=guard_id).select_related("guard")
        return mine.order_by("-created_at", "-session_id", "-number", "-turn_number")


class RefusalQuerySet(models.QuerySet["Refusal"]):
    def of_session(self, session_id: str) -> RefusalQuerySet:
        """Those of a session that was looked up already, as verdicts are ordered."""
        mine = self.filter(session_id=session_id).select_related("guard")
        return mine.order_by("-number", "-guard_id", "-id")

    def of_guard(self, guard_id: str) -> RefusalQuerySet:
        """Those of one guard in all sessions, the newest first."""
        mine = self.filter(guard_id=guard_id).select_related("guard")
        return mine.order_by("-created_at", "-id")

    def since(self, guard_ids: Sequence[str], moment: datetime) -> dict[str, int]:
        """How many each of these guards has refused from a moment on."""
        mine = self.filter(guard_id__in=guard_ids, created_at__gte=moment)
        counted = mine.values_list("guard_id").annotate(n=models.Count("id"))
        return dict(counted.order_by())


class TrialQuerySet(models.QuerySet["Trial"]):
    def of_guard(self, guard_id: str) -> TrialQuerySet:
        return self.filter(guard_id=guard_id).order_by("-id")

    def has_finished(self, guard_id: str, revision: int) -> bool:
        """Say whether this revision was tried to the end."""
        mine = self.filter(guard_id=guard_id, revision=revision)
        return mine.filter(status="done").exists()

    def to_run(self) -> TrialQuerySet:
        return self.filter(status__in=["waiting", "running"]).order_by("id")

    def one(self, guard_id: str, id: str) -> Trial:
        """Raises: TrialNotFound."""
        found = self.filter(guard_id=guard_id, id=id).first()
        if found is None:
            raise TrialNotFound(param="trial_id")
        return found
