"""Exceptions from an agent's policies, which an administrator's key makes."""

from __future__ import annotations

from typing import Unpack

from stepback import answers, calls
from stepback._async.resource import AsyncResource
from stepback.answers import page_of
from stepback.calls import given
from stepback.stories import Repeatable


class AsyncExceptions(AsyncResource):
    """What people let pass though a policy blocks it, for a while and with a reason."""

    async def list(
        self, agent_id: str, *, limit: int = 20, starting_after: str | None = None
    ) -> answers.Page[answers.PolicyException]:
        """List exceptions, newest first; those that are over as well."""
        return await self._ask(
            page_of(answers.PolicyException.of),
            ("agents", agent_id, "exceptions"),
            limit=limit,
            starting_after=starting_after,
        )

    async def get(self, agent_id: str, exception_id: str) -> answers.PolicyException:
        """Read one exception."""
        return await self._ask(
            answers.PolicyException.of, ("agents", agent_id, "exceptions", exception_id)
        )

    async def create(
        self,
        agent_id: str,
        reason: str,
        *,
        audit_id: str | None = None,
        rule: str | None = None,
        prefix: str | None = None,
        days: float | None = None,
        idempotency_key: str | None = None,
    ) -> answers.PolicyException:
        """Let pass what a blocked write's `audit_id` names: its exact text.

        With a `prefix` keys that begin so are meant, whatever is under them; then the
        `rule` can be said in place of a blocked write. It ends after so many `days`.
        """
        body = given(
            reason=reason, audit_id=audit_id, rule=rule, prefix=prefix, days=days
        )
        segments, read = ("agents", agent_id, "exceptions"), answers.PolicyException.of
        return await self._send("POST", segments, body, read, idempotency_key)

    async def end(
        self, agent_id: str, exception_id: str, **once: Unpack[Repeatable]
    ) -> answers.PolicyException:
        """Let it hold no more; what passed meanwhile stays."""
        segments = ("agents", agent_id, "exceptions", exception_id)
        read, key = answers.PolicyException.of, calls.key_in(once)
        return await self._send("DELETE", segments, None, read, key)
