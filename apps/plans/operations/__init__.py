"""Verbs of plans: make, pick, confirm, pause, stop, undo, try what failed again."""

from apps.plans.operations.changing import (
    FASTEST,
    MOST_PICKED,
    Changes,
    change,
    go_on,
    look_again,
    pause,
    pick,
    set_pace,
    stop,
)
from apps.plans.operations.confirming import Consent, confirm, retry
from apps.plans.operations.making import (
    MOST,
    MOST_OF_INCIDENT,
    Picked,
    make,
    undo,
)

__all__ = [
    "FASTEST",
    "MOST",
    "MOST_OF_INCIDENT",
    "MOST_PICKED",
    "Changes",
    "Consent",
    "Picked",
    "change",
    "confirm",
    "go_on",
    "look_again",
    "make",
    "pause",
    "pick",
    "retry",
    "set_pace",
    "stop",
    "undo",
]
