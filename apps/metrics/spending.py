"""What the turns of a range said they used: closed hours rolled up, the rest counted.

A range is widened to whole hours, also a short one. What no turn said is not known: the
answers say of how many turns they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from apps.core import sql
from apps.metrics import facts
from apps.metrics.range_query import Reading, stretches

CLOSED = sql.query("metrics", "usage")
BY = ("agent", "release", "model")


@dataclass(slots=True)
class Used:
    """What turns used together; costs by currency, which are never added up."""

    turns: int = 0
    costed: int = 0
    filled_in: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    costs: dict[str, Decimal] = field(default_factory=dict)

    def add(self, row: Any) -> None:
        self.turns += row.turns
        self.costed += row.costed
        self.filled_in += row.filled_in
        self.input_tokens += row.input_tokens
        self.output_tokens += row.output_tokens
        self.cached_tokens += row.cached_tokens
        if row.currency:
            known = self.costs.get(row.currency, Decimal(0))
            self.costs[row.currency] = known + row.cost

    def join(self, other: Used) -> None:
        """Add what others used."""
        self.turns += other.turns
        self.costed += other.costed
        self.filled_in += other.filled_in
        self.input_tokens += other.input_tokens
        self.output_tokens += other.output_tokens
        self.cached_tokens += other.cached_tokens
        for currency, cost in other.costs.items():
            self.costs[currency] = self.costs.get(currency, Decimal(0)) + cost

    @property
    def written(self) -> list[str]:
        """The costs as text, with their currency."""
        costs = sorted(self.costs.items())
        return [f"{cost.normalize():f} {currency}" for currency, cost in costs]

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """What a range used: in all, and by one thing."""

    total: Used
    by: Mapping[str, Used]


def spent(reading: Reading, by: str = "agent", *, release: str | None = None) -> Spent:
    """Return what the agents of a reading used; of one release alone if it is given."""
    total, found = Used(), dict[str, Used]()
    column = "agent_id" if by == "agent" else by
    for row in _rows(reading):
        if release is None or row.release == release:
            total.add(row)
            found.setdefault(getattr(row, column), Used()).add(row)
    return Spent(total=total, by=found)


def _rows(reading: Reading) -> Iterable[Any]:
    since, until, live = reading.hours
    asked = {
        "project": reading.project_id,
        "since": since,
        "until": until,
        "live_hours": live,
        "agents": None if reading.agents is None else list(reading.agents),
    }
    yield from sql.rows(CLOSED, asked)
    if live:
        for row in facts.sums(
            reading.project_id, stretches(live), facts.USAGE_OF_SPANS
        ):
            if reading.agents is None or row.agent_id in reading.agents:
                yield row
