"""How an agent makes its versions, and what another way of doing so would cost."""

from apps.timeline.queries.advising.advice import (
    HEARTBEAT,
    SESSIONS,
    VERSIONS,
    Advice,
    Habit,
    Hint,
    Policy,
    PolicyCost,
    advise,
)

__all__ = [
    "HEARTBEAT",
    "SESSIONS",
    "VERSIONS",
    "Advice",
    "Habit",
    "Hint",
    "Policy",
    "PolicyCost",
    "advise",
]
