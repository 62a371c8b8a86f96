"""The steps of a migration: data that says how a state of one schema becomes another's.

`reading` holds what is declared to its rules, `applying` does it.
"""

from apps.schemas.steps.applying import Failed, apply
from apps.schemas.steps.reading import MOST_STEPS, Step, read_steps

__all__ = ["MOST_STEPS", "Failed", "Step", "apply", "read_steps"]
