"""What apps above have asked to be removed at once, such as an erasure of a person.

It does not wait for the hour of the policies: the process does it in every round, and
between two steps of a sweep that takes longer than a round.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Protocol


class Urgent(Protocol):
    """Do what was asked for by now; return how much of it is over."""

    def __call__(self, *, now: datetime, is_stopping: Callable[[], bool]) -> int: ...


# By the app's name.
URGENT: dict[str, Urgent] = {}


def do_urgent(*, now: datetime, is_stopping: Callable[[], bool]) -> int:
    """Do what all apps have to; `is_stopping` is asked between two steps of it."""
    return sum(do(now=now, is_stopping=is_stopping) for do in URGENT.values())
