"""Questions about alert rules, always asked within one project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models

from apps.metrics.errors import RuleNotFound

if TYPE_CHECKING:
    from apps.metrics.models import Rule


class RuleQuerySet(models.QuerySet["Rule"]):
    def of_project(self, project_id: str) -> RuleQuerySet:
        return self.filter(project_id=project_id)

    def one(self, id: str) -> Rule:
        """Raises: RuleNotFound."""
        found = self.filter(id=id).first()
        if found is None:
            raise RuleNotFound
        return found

    def active(self) -> RuleQuerySet:
        return self.filter(is_active=True)

    def looked_at(self) -> RuleQuerySet:
        """Rules with a value of their own: not those that stand for others."""
        return self.active().filter(each="")

    def given(self) -> RuleQuerySet:
        """Rules that somebody made, or every project has: none that follows another."""
        return self.filter(parent_id=None)

    def following(self, parent_id: str) -> RuleQuerySet:
        return self.filter(parent_id=parent_id)

    def firing(self) -> RuleQuerySet:
        """Rules that people are to look at now, the longest ago first."""
        return self.looked_at().filter(state="firing").order_by("since", "id")
