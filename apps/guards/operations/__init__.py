"""The verbs of budgets and price lists."""

from apps.guards.operations.budgeting import (
    NewBudget,
    change_budget,
    create_budget,
    delete_budget,
)
from apps.guards.operations.pricing import create_price_list
from apps.guards.operations.sweeping import sweep

__all__ = [
    "NewBudget",
    "change_budget",
    "create_budget",
    "create_price_list",
    "delete_budget",
    "sweep",
]
