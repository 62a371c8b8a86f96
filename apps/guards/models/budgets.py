"""Budgets, and price lists.

A budget says how much may be used and what happens then. What is used stands in the
turns: of a session in its last one, of agents and releases in the rollups.
"""

from __future__ import annotations

from typing import Any

from django.db import models

from apps.guards.querysets import BudgetQuerySet, PriceListQuerySet
from apps.guards.words import Measure, OnReach, Period
from apps.timeline.fields import id_field


def amount_field(**options: Any) -> models.DecimalField[Any, Any]:
    return models.DecimalField(max_digits=40, decimal_places=12, **options)


class Budget(models.Model):
    """How much a session, an agent or a release may use."""

    id = id_field(primary_key=True)
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT)
    agent = models.ForeignKey("agents.Agent", on_delete=models.PROTECT, db_index=False)
    # Of this session alone, or of this release alone; neither: of the whole agent.
    session_id = id_field(null=True)
    release = models.TextField(null=True)
    measure = models.CharField(max_length=16, choices=Measure.choices)
    # What may be used, in whole pieces, or in the currency.
    most = amount_field()
    currency = models.CharField(max_length=3, null=True)
    period = models.CharField(max_length=8, choices=Period.choices)
    on_reach = models.CharField(max_length=8, choices=OnReach.choices)
    # From which share on it warns, once; null: it does not.
    warn_percent = models.SmallIntegerField(null=True)
    # What is asked for when it is reached.
    more = amount_field(null=True)
    # Of which beginning of a period the two moments are; null for a session's.
    period_start = models.DateTimeField(null=True)
    warned_at = models.DateTimeField(null=True)
    reached_at = models.DateTimeField(null=True)
    # Where people are asked for more, and by which request.
    asked_in = id_field(null=True)
    approval_id = models.TextField(null=True, db_collation="C")
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    objects = BudgetQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["project", "-id"], name="guards_budget_newest"),
            models.Index(fields=["agent", "id"], name="guards_budget_of_agent"),
            models.Index(
                fields=["session_id", "id"],
                name="guards_budget_of_session",
                condition=models.Q(session_id__isnull=False),
            ),
            models.Index(
                fields=["approval_id"],
                name="guards_budget_asked",
                condition=models.Q(approval_id__isnull=False),
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(most__gt=0), name="guards_budget_allows_something"
            ),
            models.CheckConstraint(
                condition=models.Q(session_id__isnull=True)
                | models.Q(release__isnull=True),
                name="guards_budget_of_one",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.most.normalize():f} {self.unit}"

    @property
    def most_text(self) -> str:
        """What may be used, as PostgreSQL writes the number."""
        return f"{self.most:.12f}"

    @property
    def more_text(self) -> str | None:
        return None if self.more is None else f"{self.more:.12f}"

    @property
    def unit(self) -> str:
        return self.currency or str(self.measure)

    @property
    def scope(self) -> str:
        """Whose it is: a session's, a release's or an agent's."""
        if self.session_id is not None:
            return "session"
        return "agent" if self.release is None else "release"

    @property
    def warns_from(self) -> object:
        """From how much on it warns; None where it does not."""
        return (
            None if self.warn_percent is None else self.most * self.warn_percent / 100
        )


class PriceList(models.Model):
    """What models cost per million tokens, from a moment on; never edited."""

    id = id_field(primary_key=True)
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT)
    valid_from = models.DateTimeField()
    currency = models.CharField(max_length=3)
    # By model: input, output and cached, as decimal text.
    by_model = models.JSONField()
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    objects = PriceListQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "valid_from"], name="guards_one_price_list_at_a_time"
            )
        ]

    def __str__(self) -> str:
        return str(self.id)
