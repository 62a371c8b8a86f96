"""Alert rules: who is told when too much is rolled back. For keys of administrators."""

from __future__ import annotations

from typing import Unpack

from stepback import answers, calls
from stepback._async.resource import AsyncResource
from stepback.answers import page_of
from stepback.calls import given
from stepback.stories import Repeatable, Ruled


class AsyncAlerts(AsyncResource):
    """Rules, and where each stands."""

    async def create(
        self, name: str, threshold: float, **rule: Unpack[Ruled]
    ) -> answers.AlertRule:
        """Make a rule; what is not said is as the server has it."""
        body = given(name=name, threshold=threshold, **rule)
        return await self._send("POST", ("alerts",), body, answers.AlertRule.of)

    async def get(self, rule_id: str) -> answers.AlertRule:
        """Read a rule and where it stands."""
        return await self._ask(answers.AlertRule.of, ("alerts", rule_id))

    async def list(
        self, *, limit: int = 20, starting_after: str | None = None
    ) -> answers.Page[answers.AlertRule]:
        """List rules, oldest first."""
        return await self._ask(
            page_of(answers.AlertRule.of),
            ("alerts",),
            limit=limit,
            starting_after=starting_after,
        )

    async def update(
        self,
        rule_id: str,
        *,
        name: str | None = None,
        threshold: float | None = None,
        **rule: Unpack[Ruled],
    ) -> answers.AlertRule:
        """Set what is said; `agent_id` or `silenced_until` None takes it away."""
        body = {**rule, **given(name=name, threshold=threshold)}
        return await self._send(
            "PATCH", ("alerts", rule_id), body, answers.AlertRule.of
        )

    async def acknowledge(
        self, rule_id: str, *, owner: str | None = None, **once: Unpack[Repeatable]
    ) -> answers.AlertRule:
        """Say who has what fires: a member by name, or else the key itself."""
        body = given(owner=owner, **once)
        segments = ("alerts", rule_id, "acknowledge")
        return await self._send("POST", segments, body, answers.AlertRule.of)

    async def test(self, rule_id: str, **once: Unpack[Repeatable]) -> answers.AlertRule:
        """Tell webhooks and the rule's address that this is a test."""
        key = calls.key_in(once)
        segments = ("alerts", rule_id, "test")
        return await self._send("POST", segments, None, answers.AlertRule.of, key)

    async def delete(self, rule_id: str, **once: Unpack[Repeatable]) -> None:
        """Remove a rule."""
        await self._remove(("alerts", rule_id), calls.key_in(once))
