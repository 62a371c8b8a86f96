"""What a turn says it used: tokens, and what they cost. Pure: values in, facts out.

Cost is decimal text from beginning to end: no sum of it is ever rounded. Whatever a
turn does not say is not known, which is not zero.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from typing import Any

from apps.core.json import Json
from apps.timeline.errors import UnacceptableUsage

TOKENS = ("input_tokens", "output_tokens", "cached_tokens")
FIELDS = (*TOKENS, "cost", "currency")
# A turn that used more than this is a mistake.
MOST_TOKENS = 10**12
# Twelve digits before the point and twelve behind it.
_AMOUNT = re.compile(r"(0|[1-9][0-9]{0,11})(\.[0-9]{1,12})?", re.ASCII)
_CURRENCY = re.compile(r"[A-Z]{3}", re.ASCII)
EXACT = Context(prec=60)


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """What one turn used, as it says; `cost` in `currency`, None where it says none.

    Cached tokens are a part of those of the input.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost: Decimal | None = None
    currency: str | None = None
    # The price that the cost was worked out by, if the turn did not say it itself.
    price_id: str | None = None

    def priced(self, *, cost: Decimal, currency: str, price_id: str) -> Usage:
        """Return it with a cost that was worked out."""
        return replace(self, cost=cost, currency=currency, price_id=price_id)


def read(given: Mapping[str, Any] | None) -> Usage | None:
    """Return what a turn says it used; None where it says nothing of it.

    Raises: UnacceptableUsage, which says where.
    """
    if given is None:
        return None
    said = {name: value for name, value in given.items() if value is not None}
    for name in said:
        if name not in FIELDS:
            raise _refused(name, f"usage takes {', '.join(FIELDS)}.")
    if not said:
        raise _refused(None, "usage says nothing.")
    tokens: dict[str, Any] = {
        name: _tokens(name, said[name]) for name in TOKENS if name in said
    }
    if tokens.get("cached_tokens", 0) > tokens.get("input_tokens", MOST_TOKENS):
        raise _refused("cached_tokens", "Cached tokens are a part of the input's.")
    cost = money("usage.cost", said["cost"]) if "cost" in said else None
    if (cost is None) != ("currency" not in said):
        missing = "currency" if cost is not None else "cost"
        raise _refused(missing, "A cost needs its currency, and a currency its cost.")
    code = currency_of("usage.currency", said["currency"]) if cost is not None else None
    return Usage(**tokens, cost=cost, currency=code)


def money(param: str, value: Any) -> Decimal:
    """Return an amount of money that is written as decimal text.

    Raises: UnacceptableUsage, also for less than nothing.
    """
    if isinstance(value, str) and _AMOUNT.fullmatch(value):
        return Decimal(value)
    raise UnacceptableUsage(
        "This takes a decimal text of 0 or more, such as 0.0125, with at most 12 digits"
        " before the point and 12 behind it.",
        param=param,
    )


def currency_of(param: str, value: Any) -> str:
    """Return a currency's code.

    Raises: UnacceptableUsage.
    """
    if isinstance(value, str) and _CURRENCY.fullmatch(value):
        return value
    raise UnacceptableUsage("A currency has three capital letters.", param=param)


def money_text(value: Decimal) -> str:
    """Return an amount as text, without zeros that say nothing."""
    return format(value.normalize(EXACT), "f")


def stored(
    usage: Usage | None, *, model: str | None, release: str | None, is_call: bool
) -> dict[str, Json] | None:
    """Return what is kept with the turn and covered by its leaf; None for nothing."""
    if usage is None:
        return {"tool_call": 1} if is_call else None
    kept: dict[str, Json] = {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
        "cost": None if usage.cost is None else money_text(usage.cost),
        "currency": usage.currency,
        "price_id": usage.price_id,
        "model": model,
        "release": release,
        "tool_call": 1 if is_call else None,
    }
    return {name: value for name, value in kept.items() if value is not None}


def total(
    before: Mapping[str, Any] | None, usage: Mapping[str, Any] | None
) -> dict[str, Json] | None:
    """Return the totals after a turn; the SQL function that appends does the same."""
    if usage is None:
        return None if before is None else dict(before)
    was = before or {}
    cost = [one for one in (was.get("cost"), usage.get("cost")) if one is not None]
    costs = [Decimal(one) for one in cost]
    sums: dict[str, Json] = {
        name: was.get(name, 0) + usage.get(name, 0) for name in TOKENS
    }
    says = any(name in usage for name in (*TOKENS, "cost"))
    return sums | {
        "turns": was.get("turns", 0) + says,
        "tool_calls": was.get("tool_calls", 0) + ("tool_call" in usage),
        "costed": was.get("costed", 0) + ("cost" in usage),
        "filled_in": was.get("filled_in", 0) + ("price_id" in usage),
        "cost": money_text(_sum(costs)) if costs else None,
        "currency": was.get("currency") or usage.get("currency"),
    }


def _sum(costs: list[Decimal]) -> Decimal:
    found = Decimal(0)
    for one in costs:
        found = EXACT.add(found, one)
    return found


def _tokens(name: str, value: Any) -> int:
    if type(value) is int and 0 <= value <= MOST_TOKENS:
        return value
    message = f"This takes a whole number from 0 to {MOST_TOKENS:,}."
    raise _refused(name, message)


def _refused(name: str | None, message: str) -> UnacceptableUsage:
    return UnacceptableUsage(
        message, param="usage" if name is None else f"usage.{name}"
    )
