"""What turns report of tokens and cost, by the names that clients give these. Pure.

Nobody has to report them: what no turn says is not known, which is not zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from apps.core.json import Json

# What says a sum; else its two halves are added.
TOTALS = ("total_tokens", "tokens", "tokens_total")
HALVES = (
    ("input_tokens", "output_tokens"),
    ("prompt_tokens", "completion_tokens"),
    ("tokens_input", "tokens_output"),
)
COSTS = ("cost_usd", "total_cost", "cost")


@dataclass(frozen=True, slots=True)
class Spent:
    """What the turns that report it come to together; None where none does."""

    tokens: float | None = None
    cost: float | None = None


def spent(metadata: Iterable[Json]) -> Spent:
    """Add up what turns say in their metadata, or in its `usage`."""
    tokens: list[float] = []
    costs: list[float] = []
    for said in metadata:
        if not isinstance(said, dict):
            continue
        places = [said, said.get("usage")]
        tokens += _first(_tokens(one) for one in places if isinstance(one, dict))
        costs += _first(_named(one, COSTS) for one in places if isinstance(one, dict))
    return Spent(
        tokens=math.fsum(tokens) if tokens else None,
        cost=math.fsum(costs) if costs else None,
    )


def _first(found: Iterable[float | None]) -> list[float]:
    return [one for one in found if one is not None][:1]


def _tokens(said: Mapping[str, Json]) -> float | None:
    total = _named(said, TOTALS)
    if total is not None:
        return total
    for halves in HALVES:
        numbers = _numbers(said, halves)
        if numbers:
            return sum(numbers)
    return None


def _named(said: Mapping[str, Json], names: Iterable[str]) -> float | None:
    return next(iter(_numbers(said, names)), None)


def _numbers(said: Mapping[str, Json], names: Iterable[str]) -> list[float]:
    found = (_number(said.get(name)) for name in names)
    return [one for one in found if one is not None]


def _number(value: Json) -> float | None:
    """Return a number that can be one; an integer may have thousands of digits."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if 0 <= value <= 2**53 else None
