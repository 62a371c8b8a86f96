"""Verbs of plans: make, confirm, undo, try what failed again."""

from apps.plans.operations.confirming import confirm, retry
from apps.plans.operations.making import MOST, Picked, make, undo

__all__ = ["MOST", "Picked", "confirm", "make", "retry", "undo"]
