# Written by make_sync.py from _async/alerts.py: do not edit.
"""Alert rules: who is told when too much is rolled back. For keys of administrators."""

from __future__ import annotations

from typing import Unpack

from stepback import answers, calls
from stepback._sync.resource import Resource
from stepback.answers import page_of
from stepback.calls import given
from stepback.stories import Repeatable, Ruled


class Alerts(Resource):
    """Rules, and where each stands."""

    def create(
        self, name: str, threshold: float, **rule: Unpack[Ruled]
    ) -> answers.AlertRule:
        """Make a rule; what is not said is as the server has it."""
        body = given(name=name, threshold=threshold, **rule)
        return self._send("POST", ("alerts",), body, answers.AlertRule.of)

    def get(self, rule_id: str) -> answers.AlertRule:
        """Read a rule and where it stands."""
        return self._ask(answers.AlertRule.of, ("alerts", rule_id))

    def list(
        self, *, limit: int = 20, starting_after: str | None = None
    ) -> answers.Page[answers.AlertRule]:
        """List rules, oldest first."""
        return self._ask(
            page_of(answers.AlertRule.of),
            ("alerts",),
            limit=limit,
            starting_after=starting_after,
        )

    def update(
        self,
        rule_id: str,
        *,
        name: str | None = None,
        threshold: float | None = None,
        **rule: Unpack[Ruled],
    ) -> answers.AlertRule:
        """Set what is said; `agent_id` or `silenced_until` None takes it away."""
        body = {**rule, **given(name=name, threshold=threshold)}
        return self._send("PATCH", ("alerts", rule_id), body, answers.AlertRule.of)

    def acknowledge(
        self, rule_id: str, *, owner: str | None = None, **once: Unpack[Repeatable]
    ) -> answers.AlertRule:
        """Say who has what fires: a member by name, or else the key itself."""
        body = given(owner=owner, **once)
        segments = ("alerts", rule_id, "acknowledge")
        return self._send("POST", segments, body, answers.AlertRule.of)

    def test(self, rule_id: str, **once: Unpack[Repeatable]) -> answers.AlertRule:
        """Tell webhooks and the rule's address that this is a test."""
        key = calls.key_in(once)
        segments = ("alerts", rule_id, "test")
        return self._send("POST", segments, None, answers.AlertRule.of, key)

    def delete(self, rule_id: str, **once: Unpack[Repeatable]) -> None:
        """Remove a rule."""
        self._remove(("alerts", rule_id), calls.key_in(once))
