# Written by make_sync.py from _async/exports.py: do not edit.
"""Exports: what sessions said, as a file. For administrators."""

from __future__ import annotations

from stepback import answers
from stepback._sync.resource import Resource
from stepback.answers import page_of
from stepback.calls import given

EXPORTS = ("exports",)


class Exports(Resource):
    """Files of what sessions said, which the server makes and keeps for a week."""

    def ask(
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
        return self._send("POST", EXPORTS, body, read, idempotency_key)

    def get(self, export_id: str) -> answers.Export:
        """Read how far an export is and, once it `is_ready`, its file's digest."""
        return self._ask(answers.Export.of, (*EXPORTS, export_id))

    def list(
        self, *, limit: int = 20, starting_after: str | None = None
    ) -> answers.Page[answers.Export]:
        """List exports, newest first."""
        return self._ask(
            page_of(answers.Export.of),
            EXPORTS,
            limit=limit,
            starting_after=starting_after,
        )
