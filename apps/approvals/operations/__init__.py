"""The verbs of approvals: ask, vote, rule, and what time does."""

from apps.approvals.operations.asking import Asked, ask
from apps.approvals.operations.deciding import Said, vote
from apps.approvals.operations.ruling import NewRule, create_rule, delete_rule
from apps.approvals.operations.sweeping import sweep

__all__ = [
    "Asked",
    "NewRule",
    "Said",
    "ask",
    "create_rule",
    "delete_rule",
    "sweep",
    "vote",
]
