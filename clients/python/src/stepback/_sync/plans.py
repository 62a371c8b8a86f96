# Written by make_sync.py from _async/plans.py: do not edit.
"""Plans: one act on many sessions, shown before it is done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Unpack

from stepback import answers
from stepback._sync.resource import Resource
from stepback.answers import page_of
from stepback.calls import given
from stepback.stories import Repeatable


class Plans(Resource):
    """Plans: made, confirmed, followed, undone."""

    def make(
        self,
        kind: Literal["hold", "resume", "label", "review", "export", "migrate"],
        *,
        sessions: Sequence[str] | None = None,
        q: str | None = None,
        label: str | None = None,
        outcome: Literal["fine", "failed"] | None = None,
        to_schema: str | None = None,
        from_schema: str | None = None,
        idempotency_key: str | None = None,
    ) -> answers.Plan:
        """Say what would be done to these sessions, or the first that `q` finds.

        Nothing is done until `confirm`; each item says whether it is left out and why.
        """
        named = None if sessions is None else list(sessions)
        body = given(
            kind=kind,
            sessions=named,
            q=q,
            label=label,
            outcome=outcome,
            to_schema=to_schema,
            from_schema=from_schema,
        )
        read = answers.Plan.of
        return self._send("POST", ("plans",), body, read, idempotency_key)

    def get(self, plan_id: str) -> answers.Plan:
        """Read a plan: how far it is, and what came of each session."""
        return self._ask(answers.Plan.of, ("plans", plan_id))

    def list(
        self, *, limit: int = 20, starting_after: str | None = None
    ) -> answers.Page[answers.ListedPlan]:
        """List plans without their sessions, newest first."""
        return self._ask(
            page_of(answers.ListedPlan.of),
            ("plans",),
            limit=limit,
            starting_after=starting_after,
        )

    def confirm(
        self,
        plan_id: str,
        *,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> answers.Plan:
        """Have the server's worker do it; `get` tells how far it is."""
        segments, body = ("plans", plan_id, "confirm"), given(reason=reason)
        return self._send("POST", segments, body, answers.Plan.of, idempotency_key)

    def retry(self, plan_id: str, **once: Unpack[Repeatable]) -> answers.Plan:
        """Have what failed tried again."""
        segments, key = ("plans", plan_id, "retry"), once.get("idempotency_key")
        return self._send("POST", segments, None, answers.Plan.of, key)

    def undo(self, plan_id: str, **once: Unpack[Repeatable]) -> answers.Plan:
        """Make the plan that takes it back where it still stands; confirm that one."""
        segments, key = ("plans", plan_id, "undo"), once.get("idempotency_key")
        return self._send("POST", segments, None, answers.Plan.of, key)
