"""Plans: one act on many sessions, shown before it is done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Unpack

from stepback import answers, calls
from stepback._async.resource import AsyncResource
from stepback.answers import page_of
from stepback.calls import given
from stepback.stories import PlanKind, Repeatable, RollbackTarget


class AsyncPlans(AsyncResource):
    """Plans: made, confirmed, followed, undone."""

    async def make(
        self,
        kind: PlanKind,
        *,
        sessions: Sequence[str] | None = None,
        q: str | None = None,
        label: str | None = None,
        outcome: Literal["fine", "failed"] | None = None,
        to_schema: str | None = None,
        from_schema: str | None = None,
        target: RollbackTarget | None = None,
        idempotency_key: str | None = None,
    ) -> answers.Plan:
        """Say what would be done to these sessions, or the first that `q` finds.

        Nothing is done until `confirm`; each item says whether it is left out and why.
        A rollback takes a `target`: one rule that finds the version of each session.
        Of many sessions the worker looks at them; `status` is `looking` until then.
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
            target=None if target is None else dict(target),
        )
        read = answers.Plan.of
        return await self._send("POST", ("plans",), body, read, idempotency_key)

    async def get(self, plan_id: str) -> answers.Plan:
        """Read a plan: how far it is, and what came of each session."""
        return await self._ask(answers.Plan.of, ("plans", plan_id))

    async def list(
        self, *, limit: int = 20, starting_after: str | None = None
    ) -> answers.Page[answers.ListedPlan]:
        """List plans without their sessions, newest first."""
        return await self._ask(
            page_of(answers.ListedPlan.of),
            ("plans",),
            limit=limit,
            starting_after=starting_after,
        )

    async def confirm(
        self,
        plan_id: str,
        *,
        reason: str | None = None,
        digest: str | None = None,
        crosses: bool | None = None,
        pace: int | None = None,
        idempotency_key: str | None = None,
    ) -> answers.Plan:
        """Have the server's worker do it; `get` tells how far it is.

        A rollback takes the `digest` of the plan that you have seen, and `crosses`
        where it may go behind what cannot be undone. `pace` is in sessions a minute.
        """
        segments = ("plans", plan_id, "confirm")
        body = given(reason=reason, digest=digest, crosses=crosses, pace=pace)
        return await self._send(
            "POST", segments, body, answers.Plan.of, idempotency_key
        )

    async def items(
        self,
        plan_id: str,
        *,
        state: str | None = None,
        limit: int = 100,
        starting_after: str | None = None,
    ) -> answers.Page[answers.PlanItem]:
        """List the sessions of a plan, in the order of its list."""
        return await self._ask(
            page_of(answers.PlanItem.of),
            ("plans", plan_id, "items"),
            state=state,
            limit=limit,
            starting_after=starting_after,
        )

    async def change(
        self,
        plan_id: str,
        *,
        status: Literal["running", "paused", "stopped"] | None = None,
        pace: int | None = None,
        pick: Sequence[str] | None = None,
        unpick: Sequence[str] | None = None,
        pick_verdict: Literal["clean", "look"] | None = None,
        unpick_verdict: Literal["clean", "look"] | None = None,
        idempotency_key: str | None = None,
    ) -> answers.Plan:
        """Pause, go on with or stop a plan, pace it, or pick sessions of a draft.

        Give one of them.
        """
        body = given(
            status=status,
            pace=pace,
            pick=None if pick is None else list(pick),
            unpick=None if unpick is None else list(unpick),
            pick_verdict=pick_verdict,
            unpick_verdict=unpick_verdict,
        )
        segments, read = ("plans", plan_id), answers.Plan.of
        return await self._send("PATCH", segments, body, read, idempotency_key)

    async def look(self, plan_id: str, **once: Unpack[Repeatable]) -> answers.Plan:
        """Have every session of a draft looked at once more."""
        segments, key = ("plans", plan_id, "look"), calls.key_in(once)
        return await self._send("POST", segments, None, answers.Plan.of, key)

    async def retry(self, plan_id: str, **once: Unpack[Repeatable]) -> answers.Plan:
        """Have what failed tried again."""
        segments, key = ("plans", plan_id, "retry"), calls.key_in(once)
        return await self._send("POST", segments, None, answers.Plan.of, key)

    async def undo(self, plan_id: str, **once: Unpack[Repeatable]) -> answers.Plan:
        """Make the plan that takes it back where it still stands; confirm that one."""
        segments, key = ("plans", plan_id, "undo"), calls.key_in(once)
        return await self._send("POST", segments, None, answers.Plan.of, key)
