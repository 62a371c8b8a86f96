"""Budgets and price lists; guards, their revisions, verdicts, refusals and trials."""

from apps.guards.models.budgets import Budget, PriceList
from apps.guards.models.guards import Guard, GuardRevision, Trial, Verdict
from apps.guards.models.refusals import Refusal

__all__ = [
    "Budget",
    "Guard",
    "GuardRevision",
    "PriceList",
    "Refusal",
    "Trial",
    "Verdict",
]
