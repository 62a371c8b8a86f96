"""What turns used together, as it is told: exact, and costs by currency."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any


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
