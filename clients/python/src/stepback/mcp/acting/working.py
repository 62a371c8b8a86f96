"""What a thread works through and rests on: its tasks, and the facts it remembers."""

from __future__ import annotations

from typing import Any

from stepback.errors import AssumptionsChanged
from stepback.mcp.acting.approvals import object_in
from stepback.mcp.threads import UNTRUSTED, Refused, Result, Threads

STATUSES = ("pending", "in_progress", "completed", "failed", "skipped")


class WorkTools(Threads):
    """Tasks and facts of threads."""

    async def update_task(
        self, thread_id: str, task_id: str, status: str, note: str
    ) -> Result:
        """Set how a task stands; what is to be done next is told with it."""
        made = await self._client.sessions.update_task(
            await self._required(thread_id),
            task_id,
            status=_status(status),
            note=note or None,
        )
        return {**made.raw, "note": UNTRUSTED}

    async def check_facts(self, thread_id: str, values: str) -> Result:
        """Hold what is remembered to live values."""
        try:
            found = await self._client.sessions.check_facts(
                await self._required(thread_id), object_in(values)
            )
        except AssumptionsChanged as changed:
            raise Refused(
                changed.message,
                code=changed.code,
                facts=changed.facts,
                approvals=changed.approvals,
                note=UNTRUSTED,
            ) from None
        return {**found.raw, "note": UNTRUSTED}


def _status(text: str) -> Any:
    if text and text not in STATUSES:
        raise Refused(f"status takes {', '.join(STATUSES)}.")
    return text or None
