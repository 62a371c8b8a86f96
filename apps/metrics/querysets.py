"""Questions about alert rules, always asked within one project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models

from apps.metrics.errors import RuleNotFound

if TYPE_CHECKING:
    from apps.accounts.models import Membership

    # Named in the strings below.
    from apps.metrics.models import Rule, SummaryMail, SummaryReader  # noqa: F401


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


class ReaderQuerySet(models.QuerySet["SummaryReader"]):
    def of_project(self, project_id: str) -> ReaderQuerySet:
        return self.filter(project_id=project_id)

    def of_member(self, membership: Membership) -> ReaderQuerySet:
        return self.of_project(membership.project_id).filter(user_id=membership.user_id)


class SummaryMailQuerySet(models.QuerySet["SummaryMail"]):
    def to_send(self, *, most: int) -> list[SummaryMail]:
        """Claim the oldest; those that another worker sends are passed by."""
        waiting = self.select_for_update(skip_locked=True, of=("self",))
        in_order = waiting.select_related("week", "reader__project")
        return list(in_order.order_by("week_id", "reader_id")[:most])
