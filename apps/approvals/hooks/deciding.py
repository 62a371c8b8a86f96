"""What apps above do once it is decided what they asked for.

They are told under the session's row lock, in the transaction that decides. What they
change of their own they lock before: the decision is chained in between, and whoever
takes further locks behind the project's chain can deadlock with the next act.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from apps.agents.acts import Act


@dataclass(frozen=True, kw_only=True, slots=True)
class Decided:
    """An approval that has an outcome; `arguments` are those that it allows."""

    act: Act
    session_id: str
    approval_id: str
    tool: str
    outcome: str
    arguments: Mapping[str, Any]


# By the app's name: who locks what it will change, and who is told.
HOLDING: dict[str, Callable[[Decided], None]] = {}
DECIDED: dict[str, Callable[[Decided], None]] = {}


def hold(decided: Decided) -> None:
    """Have whoever asked lock what the outcome will change."""
    for holds in HOLDING.values():
        holds(decided)


def tell(decided: Decided) -> None:
    """Tell whoever asked of the outcome."""
    for heard in DECIDED.values():
        heard(decided)
