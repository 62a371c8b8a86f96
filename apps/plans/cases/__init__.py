"""What a plan may do: a table of plain cases. Another act is one more entry."""

from apps.plans.cases.case import Case, Done, Outlook, Reason, Sight, Task
from apps.plans.cases.table import CASES, OFFERED, case_of

__all__ = [
    "CASES",
    "OFFERED",
    "Case",
    "Done",
    "Outlook",
    "Reason",
    "Sight",
    "Task",
    "case_of",
]
