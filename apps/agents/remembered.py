"""Remember an agent's rules of waiting for half a minute: every write asks for them.

With them is remembered whether schemas of its states are declared, and whether it has
guards, so that a write of one without them looks once for all of it.

A change therefore reaches all processes within that time. What was written meanwhile is
looked at again with everything that was there before (`Agent.remap_after`).
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from typing import NamedTuple

from apps.agents.models import Agent
from apps.agents.waiting import Rules, rules

REMEMBERED_SECONDS = 30.0
MOST = 10_000


class Remembered(NamedTuple):
    """What is known of an agent until a moment of this process's clock."""

    rules: Rules
    has_schemas: bool
    has_guards: bool
    until: float


_lock = threading.Lock()
_known: OrderedDict[str, Remembered] = OrderedDict()


def waiting_rules(agent_id: str) -> Rules:
    """Return by what sessions of an agent wait, as it is or was half a minute ago."""
    return remembered(agent_id).rules


def remembered(agent_id: str) -> Remembered:
    """Return what holds for an agent's writes, or held half a minute ago."""
    known = _known.get(agent_id)
    if known is None or known.until <= time.monotonic():
        columns = ("waiting", "has_schemas", "has_guards")
        row = Agent.objects.filter(id=agent_id).values_list(*columns).first()
        waiting, *has = row or (None, False, False)
        return remember(agent_id, rules(waiting), *has)
    return known


def remember(
    agent_id: str, found: Rules, has_schemas: bool, has_guards: bool
) -> Remembered:
    """Remember what was read just now."""
    until = time.monotonic() + REMEMBERED_SECONDS
    known = Remembered(found, has_schemas, has_guards, until)
    with _lock:
        _known[agent_id] = known
        _known.move_to_end(agent_id)
        while len(_known) > MOST:
            _known.popitem(last=False)
    return known


def forget(agent_id: str) -> None:
    """Have this process read them anew."""
    with _lock:
        _known.pop(agent_id, None)
