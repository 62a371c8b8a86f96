"""Remember an agent's rules of waiting for half a minute: every write asks for them.

With them is remembered whether schemas of its states are declared.

A change therefore reaches all processes within that time. What was written meanwhile is
looked at again with everything that was there before (`Agent.remap_after`).
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict

from apps.agents.models import Agent
from apps.agents.waiting import Rules, rules

REMEMBERED_SECONDS = 30.0
MOST = 10_000

_lock = threading.Lock()
_known: OrderedDict[str, tuple[Rules, bool, float]] = OrderedDict()


def waiting_rules(agent_id: str) -> Rules:
    """Return by what sessions of an agent wait, as it is or was half a minute ago."""
    return _remembered(agent_id)[0]


def has_schemas(agent_id: str) -> bool:
    """Say whether schemas of an agent are declared, or were half a minute ago."""
    return _remembered(agent_id)[1]


def _remembered(agent_id: str) -> tuple[Rules, bool, float]:
    known = _known.get(agent_id)
    if known is None or known[2] <= time.monotonic():
        agents = Agent.objects.filter(id=agent_id)
        found = agents.values_list("waiting", "has_schemas").first() or (None, False)
        by = remember(agent_id, rules(found[0]), has_schemas=found[1])
        return by, found[1], 0.0
    return known


def remember(agent_id: str, found: Rules, *, has_schemas: bool) -> Rules:
    """Remember what was read just now."""
    with _lock:
        _known[agent_id] = (
            *(found, has_schemas),
            time.monotonic() + REMEMBERED_SECONDS,
        )
        _known.move_to_end(agent_id)
        while len(_known) > MOST:
            _known.popitem(last=False)
    return found


def forget(agent_id: str) -> None:
    """Have this process read them anew."""
    with _lock:
        _known.pop(agent_id, None)
