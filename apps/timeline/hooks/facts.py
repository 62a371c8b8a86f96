"""What apps above do when what a session rests on has changed.

They are told under the session's row lock, in the transaction that records it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.agents.acts import Act
from apps.core.json import Json


@dataclass(frozen=True, kw_only=True, slots=True)
class FailedFact:
    """A fact that is not as remembered, or of which nobody knows.

    `pointer` is where it stands in the state, null for one of the part; `is_known`:
    `now` is the live value.
    """

    key: str
    pointer: str | None
    status: str
    was: Json
    is_known: bool
    now: Json = None


@dataclass(frozen=True, kw_only=True, slots=True)
class FactsFailed:
    """The facts of a session that failed a check; what is known now is stored."""

    act: Act
    session_id: str
    agent_id: str
    facts: Sequence[FailedFact]


# Returns what is asked of people again, as answers show it.
Renew = Callable[[FactsFailed], Sequence[Mapping[str, Any]]]

# By the app's name.
FACTS: dict[str, Renew] = {}


def renew(failed: FactsFailed) -> list[Mapping[str, Any]]:
    """Void what depends on these facts, and ask again; return what is asked."""
    return [one for again in FACTS.values() for one in again(failed)]
