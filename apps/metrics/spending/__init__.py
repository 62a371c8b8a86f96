"""What the turns of a range said they used: closed hours rolled up, the rest counted.

A range is widened to whole hours, also a short one. What no turn said is not known: the
answers say of how many turns they are.
"""

from apps.metrics.spending.range import BY, spent
from apps.metrics.spending.used import Spent, Used
from apps.metrics.spending.work import Work, who_worked, worked

__all__ = ["BY", "Spent", "Used", "Work", "spent", "who_worked", "worked"]
