# Written by make_sync.py from _async/budgets.py: do not edit.
"""Budgets, and the price lists that fill in what turns cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from stepback import answers
from stepback._sync.resource import Resource
from stepback.answers import page_of
from stepback.calls import given

Measure = Literal["tokens", "cost", "calls", "turns", "minutes"]
OnReach = Literal["warn", "pause", "ask"]


class Budgets(Resource):
    """How much sessions, agents and releases may use; who changes them administers."""

    def create(
        self,
        measure: Measure,
        limit: int | str,
        *,
        session_id: str | None = None,
        agent_id: str | None = None,
        release: str | None = None,
        currency: str | None = None,
        period: Literal["total", "day", "month"] | None = None,
        on_reach: OnReach | None = None,
        warn_percent: int | None = None,
        ask_for: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> answers.Budget:
        """Hold a session, or an agent and maybe one release of it, to a budget.

        Amounts are whole numbers or decimal text, never floats.
        """
        body = given(
            measure=measure,
            limit=limit,
            session_id=session_id,
            agent_id=agent_id,
            release=release,
            currency=currency,
            period=period,
            on_reach=on_reach,
            warn_percent=warn_percent,
            ask_for=ask_for,
        )
        read = answers.Budget.of
        return self._send("POST", ("budgets",), body, read, idempotency_key)

    def get(self, budget_id: str) -> answers.Budget:
        """Read a budget, with what is used of it."""
        return self._ask(answers.Budget.of, ("budgets", budget_id))

    def list(
        self,
        *,
        session_id: str | None = None,
        agent_id: str | None = None,
        limit: int = 20,
        starting_after: str | None = None,
    ) -> answers.Page[answers.Budget]:
        """List budgets, the newest first."""
        return self._ask(
            page_of(answers.Budget.of),
            ("budgets",),
            session_id=session_id,
            agent_id=agent_id,
            limit=limit,
            starting_after=starting_after,
        )

    def change(
        self,
        budget_id: str,
        *,
        limit: int | str | None = None,
        on_reach: OnReach | None = None,
        warn_percent: int | None = None,
        ask_for: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> answers.Budget:
        """Set its limit or its terms; a session that it paused is resumed as others."""
        body = given(
            limit=limit, on_reach=on_reach, warn_percent=warn_percent, ask_for=ask_for
        )
        segments = ("budgets", budget_id)
        read = answers.Budget.of
        return self._send("PATCH", segments, body, read, idempotency_key)

    def delete(
        self, budget_id: str, *, idempotency_key: str | None = None
    ) -> answers.Budget:
        """Remove a budget, and return what it was."""
        segments, read = ("budgets", budget_id), answers.Budget.of
        return self._send("DELETE", segments, None, read, idempotency_key)

    def create_price_list(
        self,
        currency: str,
        models: Mapping[str, Mapping[str, str]],
        *,
        valid_from: str | None = None,
        drops: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> answers.PriceList:
        """Have turns without a cost be priced by this list from a moment on.

        Of each model `input`, `output` and maybe `cached`, per million tokens, as
        decimal text. Models of the list before are priced here, or among `drops`.
        """
        body = given(
            currency=currency,
            models=dict(models),
            valid_from=valid_from,
            drops=None if drops is None else list(drops),
        )
        read = answers.PriceList.of
        return self._send("POST", ("prices",), body, read, idempotency_key)

    def list_price_lists(self, *, limit: int = 20) -> answers.Page[answers.PriceList]:
        """List price lists, the one that is valid from the latest moment first."""
        return self._ask(page_of(answers.PriceList.of), ("prices",), limit=limit)
