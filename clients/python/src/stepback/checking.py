"""Asking a caller's own check, in both ways: it may be awaited only by a task."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

Check = Callable[[str], Any]


async def passes_async(check: Check, agent_id: str) -> bool:
    outcome = check(agent_id)
    return bool(await outcome if inspect.isawaitable(outcome) else outcome)


def passes(check: Check, agent_id: str) -> bool:
    """Raises: TypeError for a check that has to be awaited: it would always pass."""
    outcome = check(agent_id)
    if inspect.iscoroutine(outcome):
        outcome.close()
    if inspect.isawaitable(outcome):
        raise TypeError("This check has to be awaited: use it with AsyncStepback.")
    return bool(outcome)
