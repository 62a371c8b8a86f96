"""Exports: what sessions said, as a file. For administrators."""

from __future__ import annotations

from stepback import answers
from stepback._async.resource import AsyncResource
from stepback.answers import page_of
from stepback.calls import given

EXPORTS = ("exports",)


class AsyncExports(AsyncResource):
    """Files of what sessions said, which the server makes and keeps for a week."""

    async def ask(
        self,
        kind: str = "trajectories",
        *,
        agent: str | None = None,
        release: str | None = None,
        model: str | None = None,
        outcome: str | None = None,
        rolled_back: bool | None = None,
        unmasked: bool | None = None,
        idempotency_key: str | None = None,
    ) -> answers.Export:
        """Have a file made of the sessions that all filters let in."""
        body = given(
            kind=kind,
            agent=agent,
            release=release,
            model=model,
            outcome=outcome,
            rolled_back=rolled_back,
            unmasked=unmasked,
        )
        read = answers.Export.of
        return await self._send("POST", EXPORTS, body, read, idempotency_key)

    async def get(self, export_id: str) -> answers.Export:
        """Read how far an export is and, once it `is_ready`, its file's digest."""
        return await self._ask(answers.Export.of, (*EXPORTS, export_id))

    async def list(
        self, *, limit: int = 20, starting_after: str | None = None
    ) -> answers.Page[answers.Export]:
        """List exports, newest first."""
        return await self._ask(
            page_of(answers.Export.of),
            EXPORTS,
            limit=limit,
            starting_after=starting_after,
        )
