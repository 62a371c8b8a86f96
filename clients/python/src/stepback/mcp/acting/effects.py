"""What is done outside of a thread: begun, finished and listed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from stepback.mcp.acting.approvals import object_in
from stepback.mcp.threads import UNTRUSTED, Refused, Result, Threads

LISTED = (
    *("id", "key", "tool", "arguments", "class", "status", "attempt", "number"),
    *("result", "result_reference", "external_id", "deadline", "created_at"),
)


class EffectTools(Threads):
    """Effects of threads, under their keys."""

    async def begin_effect(
        self,
        thread_id: str,
        key: str,
        tool: str,
        arguments: str,
        number: int | None,
        about: Mapping[str, Any],
    ) -> Result:
        """Say whether the call is to be made; if not, what it came to or waits for."""
        begun = await self._client.sessions.begin_effect(
            await self._required(thread_id),
            key,
            tool,
            object_in(arguments),
            effect_class=about["effect_class"] or None,
            takes_provider_key=about["takes_provider_key"] or None,
            number=number,
        )
        return {**begun.raw, "note": UNTRUSTED}

    async def finish_effect(
        self,
        thread_id: str,
        effect_id: str,
        attempt: int,
        status: str,
        about: Mapping[str, str],
    ) -> Result:
        """Say what came of a call that was made."""
        made = await self._client.sessions.finish_effect(
            await self._required(thread_id),
            effect_id,
            attempt,
            status,
            result=_result(about["result_json"]),
            external_id=about["external_id"] or None,
        )
        return {name: made.raw.get(name) for name in LISTED}

    async def effects(
        self, thread_id: str, status: str, effect_class: str, limit: int
    ) -> Result:
        """List what was done, newest first."""
        page = await self._client.sessions.effects(
            await self._required(thread_id),
            status=status or None,
            effect_class=effect_class or None,
            limit=limit,
        )
        told = [{name: one.raw.get(name) for name in LISTED} for one in page.data]
        return {"effects": told, "has_more": page.has_more, "note": UNTRUSTED}


def _result(text: str) -> Any:
    try:
        return json.loads(text) if text else None
    except ValueError:
        raise Refused("result_json is not valid JSON.") from None
