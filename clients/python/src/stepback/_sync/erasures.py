# Written by make_sync.py from _async/erasures.py: do not edit.
"""Erasing a person: what would go, what went, its certificate. For administrators."""

from __future__ import annotations

from typing import Unpack

from stepback import answers, calls
from stepback._sync.resource import Resource
from stepback.answers import page_of
from stepback.calls import given
from stepback.stories import Repeatable

ERASURES = ("erasures",)


class Erasures(Resource):
    """Previews of erasures, and erasures with their certificates."""

    def preview(
        self,
        *,
        user_id: str | None = None,
        session_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> answers.ErasurePreview:
        """Count what an erasure of a person, or of one session, would take."""
        body = given(user_id=user_id, session_id=session_id)
        read = answers.ErasurePreview.of
        segments = (*ERASURES, "previews")
        return self._send("POST", segments, body, read, idempotency_key)

    def begin(
        self, preview_id: str, reason: str, **once: Unpack[Repeatable]
    ) -> answers.Erasure:
        """Have erased what a preview showed; it cannot be undone."""
        body = {"preview_id": preview_id, "reason": reason}
        key = calls.key_in(once)
        return self._send("POST", ERASURES, body, answers.Erasure.of, key)

    def get(self, erasure_id: str) -> answers.Erasure:
        """Read how far an erasure is and, once it `is_done`, its certificate."""
        return self._ask(answers.Erasure.of, (*ERASURES, erasure_id))

    def list(
        self, *, limit: int = 20, starting_after: str | None = None
    ) -> answers.Page[answers.ListedErasure]:
        """List erasures, newest first, without their certificates."""
        return self._ask(
            page_of(answers.ListedErasure.of),
            ERASURES,
            limit=limit,
            starting_after=starting_after,
        )
