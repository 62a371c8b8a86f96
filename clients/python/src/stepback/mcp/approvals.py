"""Asking people, and reading what they decided; no tool decides."""

from __future__ import annotations

import json
from typing import Any

from stepback.mcp.threads import UNTRUSTED, Refused, Result, Threads

TOLD = (
    *("id", "session_id", "tool", "arguments", "status", "escalated", "votes_needed"),
    *("who", "created_at", "expires_at", "outcome"),
)
STATUSES = ("pending", "approved", "rejected", "expired", "decided")


class ApprovalTools(Threads):
    """Approvals of threads: asked for, and listed."""

    async def request_approval(
        self, thread_id: str, tool: str, arguments: str, reason: str, key: str
    ) -> Result:
        """Ask people to allow a call; asked again under its key it is the same one."""
        made = await self._client.approvals.request_approval(
            await self._required(thread_id),
            tool,
            _object(arguments),
            reason=reason or None,
            key=key or None,
        )
        return {name: made.raw[name] for name in TOLD}

    async def approvals(self, approval_id: str, status: str, limit: int) -> Result:
        """Return one approval, or those of a status."""
        if approval_id:
            found = [(await self._client.approvals.get(approval_id)).raw]
        else:
            page = await self._client.approvals.list(
                status=_status(status), limit=limit
            )
            found = [one.raw for one in page]
        told = [{name: one[name] for name in TOLD} for one in found]
        return {"approvals": told, "note": UNTRUSTED}


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise Refused("Give arguments as a JSON object.")
    return found


def _status(text: str) -> Any:
    if text and text not in STATUSES:
        raise Refused(f"status takes {', '.join(STATUSES)}.")
    return text or None
