"""What a turn costs that says its tokens and its model, and no cost.

Lists are remembered for half a minute: a new one counts in all processes by then. So a
turn asks the database for none, as long as its process has asked within that time.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from threading import Lock
from time import monotonic

from apps.guards.models import PriceList
from apps.timeline.hooks import EXACT, Price, Usage

REMEMBERED_SECONDS = 30.0
MOST_LISTS = 100
MOST_PROJECTS = 1_000
MILLION = Decimal(1_000_000)

_known: dict[str, tuple[float, list[PriceList]]] = {}
_lock = Lock()


def price(project_id: str, model: str, at: datetime, usage: Usage) -> Price | None:
    """Return the price by the list that is in force; None where that names no price.

    Without both counts, of the input and of the output, nothing is worked out.
    """
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    lists = (one for one in _lists(project_id) if one.valid_from <= at)
    found = next(lists, None)
    rates = None if found is None else found.by_model.get(model)
    if found is None or rates is None:
        return None
    return Price(id=found.id, cost=_cost(rates, usage), currency=found.currency)


def forget(project_id: str) -> None:
    """Ask anew for a project's lists."""
    with _lock:
        _known.pop(project_id, None)


def _cost(rates: Mapping[str, str], usage: Usage) -> Decimal:
    cached = usage.cached_tokens or 0
    said = (
        ((usage.input_tokens or 0) - cached, rates["input"]),
        (cached, rates.get("cached", rates["input"])),
        (usage.output_tokens or 0, rates["output"]),
    )
    total = Decimal(0)
    for tokens, rate in said:
        total = EXACT.add(total, EXACT.multiply(Decimal(tokens), Decimal(rate)))
    return EXACT.divide(total, MILLION)


def _lists(project_id: str) -> list[PriceList]:
    now = monotonic()
    with _lock:
        asked_at, lists = _known.get(project_id, (-REMEMBERED_SECONDS, []))
    if now - asked_at < REMEMBERED_SECONDS:
        return lists
    lists = list(PriceList.objects.of_project(project_id)[:MOST_LISTS])
    with _lock:
        if len(_known) >= MOST_PROJECTS:
            _known.clear()
        _known[project_id] = now, lists
    return lists
