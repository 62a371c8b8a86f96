"""What apps above know of what turns use: prices, and who looks at the totals.

A session is watched while an app above has said so (`operations.watch`). Its turns are
stored in a transaction, in which the app is told of the totals, under the session's
lock: what it does then is stored with the turn. Turns of all other sessions ask nobody.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from apps.agents.acts import Act


@dataclass(frozen=True, kw_only=True, slots=True)
class Price:
    """What a turn costs by a price list."""

    id: str
    cost: Decimal
    currency: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnStored:
    """A turn of a watched session, stored in this transaction, and the totals."""

    act: Act
    session_id: str
    agent_id: str
    turn: Any
    began_at: datetime


# Is given a project's id, the model, a moment and the usage; None where no price is
# known, or where what the price is per is not.
Pricing = Callable[[str, str, datetime, Any], Price | None]
Watcher = Callable[[TurnStored], None]

# By the app's name.
PRICES: dict[str, Pricing] = {}
WATCHERS: dict[str, Watcher] = {}


def price(project_id: str, model: str, at: datetime, usage: Any) -> Price | None:
    """Return what a turn costs that does not say it, if a price is known."""
    for pricing in PRICES.values():
        found = pricing(project_id, model, at, usage)
        if found is not None:
            return found
    return None


def tell_turn(stored: TurnStored) -> None:
    """Tell those who watch of a turn."""
    for watcher in WATCHERS.values():
        watcher(stored)
