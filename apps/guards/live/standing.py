"""Which guards an agent has, remembered for half a minute: every write asks.

So what is changed counts in all processes by then. A rule that this version cannot
read is a guard that cannot decide: it stays in the list without one.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass

from apps.agents.remembered import REMEMBERED_SECONDS
from apps.guards.detecting import OF_EARLIER, Rule
from apps.guards.detecting.rules import ready
from apps.guards.models import Guard
from apps.guards.querysets import MOST_GUARDS
from apps.guards.words import Kind, Mode

MOST = 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """One guard as it holds: a revision of its rule, and its mode."""

    id: str
    name: str
    kind: Kind
    revision: int
    mode: Mode
    rule: Rule | None

    @property
    def looks_back(self) -> bool:
        """Whether it looks at the turns before a write."""
        return self.kind in OF_EARLIER


_lock = threading.Lock()
_known: OrderedDict[str, tuple[tuple[Standing, ...], float]] = OrderedDict()


def guards_of(agent_id: str) -> tuple[Standing, ...]:
    """Return the guards that an agent has, or had half a minute ago."""
    known = _known.get(agent_id)
    if known is not None and known[1] > time.monotonic():
        return known[0]
    rows = Guard.objects.of_agent(agent_id)[:MOST_GUARDS]
    found = tuple(standing(one) for one in rows)
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


def standing(guard: Guard) -> Standing:
    """Return a guard as it is asked."""
    return Standing(
        id=guard.id,
        name=guard.name,
        kind=Kind(guard.kind),
        revision=guard.revision,
        mode=Mode(guard.mode),
        rule=read(guard.kind, bytes(guard.rule)),
    )


def read(kind: str, kept: bytes) -> Rule | None:
    """Return a kept rule; None where this version cannot read it."""
    try:
        return ready(kind, kept)
    except ValueError:
        return None
