"""Making price lists: whole ones, with no hole in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from apps.agents.acts import Act
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.ids import new_id
from apps.guards.errors import UnacceptablePrices
from apps.guards.models import PriceList
from apps.guards.pricing import forget
from apps.timeline.errors import UnacceptableUsage
from apps.timeline.hooks import currency_of, money, money_text

MOST_MODELS = 500
MAX_MODEL = 200
NEEDED = ("input", "output")
KNOWN = (*NEEDED, "cached")


def create_price_list(
    *,
    act: Act,
    valid_from: datetime | None,
    currency_code: str,
    models: Mapping[str, Any],
    drops: Sequence[str] = (),
) -> PriceList:
    """Have turns priced by this list from a moment on, in place of the one before it.

    A model of that one which is neither priced anew nor among `drops` is a hole.

    Raises: UnacceptablePrices, which says where.
    """
    rates = _rates(models)
    try:
        code = currency_of("currency", currency_code)
    except UnacceptableUsage as refused:
        raise UnacceptablePrices(refused.message, param="currency") from None
    starts = valid_from or act.now
    _require_no_hole(act, starts, rates, drops)
    made = PriceList(
        id=new_id("pric", now=act.now),
        project=act.project,
        valid_from=starts,
        currency=code,
        by_model=rates,
        **act.by,
    )
    with transaction.atomic():
        try:
            with transaction.atomic():
                made.save(force_insert=True)
        except IntegrityError:
            raise UnacceptablePrices(
                "Another list is valid from that very moment.", param="valid_from"
            ) from None
        audit.record_act(
            stream_id=act.project_id,
            project_id=act.project_id,
            action=Action.PRICES_CREATED,
            resource_type="price_list",
            resource_id=made.id,
            act=act,
            details={"models": len(rates), "currency": code},
        )
    transaction.on_commit(lambda: forget(act.project_id))
    return made


def _rates(models: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    if not 1 <= len(models) <= MOST_MODELS:
        raise UnacceptablePrices(
            f"A list has 1 to {MOST_MODELS} models.", param="models"
        )
    return {model: _of_model(model, said) for model, said in models.items()}


def _of_model(model: str, said: Any) -> dict[str, str]:
    if not model.strip() or len(model) > MAX_MODEL or not model.isprintable():
        raise UnacceptablePrices(
            f"A model has 1 to {MAX_MODEL} printable characters.", param="models"
        )
    at = f"models.{model}"
    if not isinstance(said, Mapping):
        raise UnacceptablePrices("This takes input, output and cached.", param=at)
    for name in said:
        if name not in KNOWN:
            raise UnacceptablePrices(
                "A model has prices for input, output and cached.", param=f"{at}.{name}"
            )
    for name in NEEDED:
        if said.get(name) is None:
            raise UnacceptablePrices(
                "The list has a hole: this price is missing.", param=f"{at}.{name}"
            )
    given = {name: said[name] for name in KNOWN if said.get(name) is not None}
    try:
        return {
            name: money_text(money(f"{at}.{name}", value))
            for name, value in given.items()
        }
    except UnacceptableUsage as refused:
        raise UnacceptablePrices(refused.message, param=refused.param) from None


def _require_no_hole(
    act: Act, starts: datetime, rates: Mapping[str, Any], drops: Sequence[str]
) -> None:
    before = PriceList.objects.of_project(act.project_id).at(starts)
    if before is None:
        return
    missing = sorted(set(before.by_model) - set(rates) - set(drops))
    if missing:
        named = ", ".join(missing[:5])
        raise UnacceptablePrices(
            f"The list has a hole: the one before it prices {named}, this one does not."
            " Price them, or name them in drops.",
            param="models",
        )
