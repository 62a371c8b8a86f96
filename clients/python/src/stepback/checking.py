"""What a safe operation is given: a check, asked in both ways, and parts to restore."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from stepback.calls import require_known
from stepback.stories import Restorable

Check = Callable[[str], Any]


def restorable(parts: Restorable) -> Restorable:
    """Return which parts to restore, before anything is done that rests on it.

    Raises: TypeError for a part that there is not; ValueError where none is left.
    """
    known = Restorable.__optional_keys__
    require_known(parts, known)
    if all(parts.get(one) is False for one in known):
        raise ValueError("With neither config nor data nothing could be restored.")
    return parts


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
