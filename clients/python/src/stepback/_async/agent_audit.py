"""An agent's audit: every operation on it, chained so that a change is found."""

from __future__ import annotations

from collections.abc import Sequence

from stepback import answers
from stepback._async.resource import AsyncResource
from stepback.answers import page_of
from stepback.calls import given, listed


class AsyncAudit(AsyncResource):
    """Audits of agents. Times are ISO 8601: from `start`, before `end`."""

    async def query(
        self,
        agent_id: str,
        *,
        operations: Sequence[str] | None = None,
        start: str | None = None,
        end: str | None = None,
        limit: int = 100,
        starting_after: str | None = None,
    ) -> answers.Page[answers.AuditEvent]:
        """List events, newest first, such as of the `operations` data.write."""
        return await self._ask(
            page_of(answers.AuditEvent.of),
            ("agents", agent_id, "audit"),
            operations=listed(operations),
            start=start,
            end=end,
            limit=limit,
            starting_after=starting_after,
        )

    async def get(self, agent_id: str, audit_id: str) -> answers.AuditEvent:
        """Read one event, as writes and reads name it in `audit_id`."""
        segments = ("agents", agent_id, "audit", audit_id)
        return await self._ask(answers.AuditEvent.of, segments)

    async def verify(
        self, agent_id: str, *, start: str | None = None
    ) -> answers.AuditVerification:
        """Have the chain recomputed from its first event, a time or an event's id."""
        segments = ("agents", agent_id, "audit", "verify")
        return await self._ask(answers.AuditVerification.of, segments, start=start)

    async def export(
        self,
        agent_id: str,
        *,
        format: str | None = None,
        start: str | None = None,
        end: str | None = None,
        include_verification: bool | None = None,
        idempotency_key: str | None = None,
    ) -> answers.AuditExport:
        """Freeze events as a file (`json`: a line each, or `csv`), and tell its link.

        `start` is a time, or the id of an event: from there on.
        """
        body = given(
            format=format,
            start=start,
            end=end,
            include_verification=include_verification,
        )
        segments, read = ("agents", agent_id, "audit", "export"), answers.AuditExport.of
        return await self._send("POST", segments, body, read, idempotency_key)
