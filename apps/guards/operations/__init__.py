"""The verbs of budgets, price lists and guards."""

from apps.guards.operations.budgeting import (
    NewBudget,
    change_budget,
    create_budget,
    delete_budget,
)
from apps.guards.operations.guarding import (
    Change,
    NewGuard,
    change_guard,
    create_guard,
    withdraw_guard,
)
from apps.guards.operations.pricing import create_price_list
from apps.guards.operations.sweeping import forget_refusals, sweep
from apps.guards.operations.trying import try_guard

__all__ = [
    "Change",
    "NewBudget",
    "NewGuard",
    "change_budget",
    "change_guard",
    "create_budget",
    "create_guard",
    "create_price_list",
    "delete_budget",
    "forget_refusals",
    "sweep",
    "try_guard",
    "withdraw_guard",
]
