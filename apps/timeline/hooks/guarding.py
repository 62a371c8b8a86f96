"""What apps above look for in each write of an agent that has guards.

They are shown a write while it is built, on the comparison that is made anyway, and may
refuse it or have its version pause the session. What they found they store in the
transaction that stores the write, under the session's lock. Writes of agents without
guards ask nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from apps.agents.acts import Act
from apps.timeline.words import Op

# What shows no other state than the version before it is not looked at again.
QUIET = frozenset({Op.PAUSE, Op.RESUME, Op.WAIT, Op.DECIDE, Op.CLOSE, Op.DELETE})


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnSaid:
    """What a turn says, before it is stored."""

    input: Mapping[str, Any]
    output: Mapping[str, Any]
    metadata: Mapping[str, Any] | None


@dataclass(frozen=True, kw_only=True, slots=True)
class GuardAsked:
    """One write as it will be: of a version, a turn, or both.

    `number` is the version it makes or, a turn alone, finds. `comparison` is what
    differs from `before`; both are None where nothing comes before.
    """

    number: int
    is_version: bool
    state: Any = None
    before: Any = None
    comparison: Any = None
    turn: TurnSaid | None = None


class Judging(Protocol):
    """What the guards of an agent say of one attempt to write."""

    # Whether they look at the turns before it, so that none may come in between.
    needs_lock: bool
    # Whether there is something to store.
    has_found: bool

    def ask(self, asked: GuardAsked) -> bool:
        """Look at one write; return whether its version is to pause the session.

        Raises: whatever refuses it.
        """

    def stored(self, receipt: Any) -> None:
        """Store what was found, and do what is to be done, in this transaction."""


# Is given the act, the agent's id, and the session's (None where it begins); None
# where there is no guard after all.
Guarding = Callable[[Act, str, str | None], Judging | None]

# By the app's name.
GUARDS: dict[str, Guarding] = {}


def judging(act: Act, agent_id: str, session_id: str | None) -> Judging | None:
    """Return who judges an attempt to write."""
    for guarding in GUARDS.values():
        return guarding(act, agent_id, session_id)
    return None
