"""Asking people, and reading what they decided; no tool decides."""

from __future__ import annotations

import json
from typing import Any

from stepback.mcp.threads import UNTRUSTED, Refused, Result, Threads

TOLD = (
    *("id", "session_id", "tool", "arguments", "status", "escalated", "votes_needed"),
    *("who", "created_at", "expires_at", "outcome"),
)
# As the server calls it, in rules as well.
ROLLBACK = "rollback"
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
            object_in(arguments),
            reason=reason or None,
            key=key or None,
        )
        return {name: made.raw[name] for name in TOLD}

    async def propose_rollback(
        self, thread_id: str, checkpoint_id: str, reason: str, key: str
    ) -> Result:
        """Ask people to allow going back to a checkpoint; nothing is done by it."""
        found = await self._item(thread_id, checkpoint_id)
        if found is None:
            raise Refused(f"checkpoint not found: {checkpoint_id}")
        made = await self._client.approvals.request_approval(
            found.session_id,
            ROLLBACK,
            {"to": found.version},
            effect_class="reversible",
            reason=reason or None,
            key=key or None,
        )
        return {name: made.raw[name] for name in TOLD}

    async def approvals(self, approval_id: str, status: str, limit: int) -> Result:
        """Return one approval, or those of a status."""
        has_more = False
        if approval_id:
            found = [(await self._client.approvals.get(approval_id)).raw]
        else:
            page = await self._client.approvals.list(
                status=_status(status), limit=limit
            )
            found, has_more = [one.raw for one in page], page.has_more
        told = [{name: one[name] for name in TOLD} for one in found]
        return {"approvals": told, "has_more": has_more, "note": UNTRUSTED}


def object_in(text: str) -> dict[str, Any]:
    """Return the arguments of a call.

    Raises: Refused for what is no JSON object.
    """
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
