"""Remember an agent's rules of waiting for half a minute: every write asks for them.

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
_known: OrderedDict[str, tuple[Rules, float]] = OrderedDict()


def waiting_rules(agent_id: str) -> Rules:
    """Return by what sessions of an agent wait, as it is or was half a minute ago."""
    known = _known.get(agent_id)
    if known is not None and known[1] > time.monotonic():
        return known[0]
    found = Agent.objects.filter(id=agent_id).values_list("waiting", flat=True).first()
    return remember(agent_id, rules(found))


def remember(agent_id: str, found: Rules) -> Rules:
    """Remember what was read just now."""
    with _lock:
        _known[agent_id] = found, time.monotonic() + REMEMBERED_SECONDS
        _known.move_to_end(agent_id)
        while len(_known) > MOST:
            _known.popitem(last=False)
    return found


def forget(agent_id: str) -> None:
    """Have this process read them anew."""
    with _lock:
        _known.pop(agent_id, None)
