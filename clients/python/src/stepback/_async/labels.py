"""Labels of versions."""

from __future__ import annotations

from typing import Unpack

from stepback import answers, calls
from stepback._async.resource import AsyncResource
from stepback.stories import Repeatable


class AsyncLabels(AsyncResource):
    """Names of versions."""

    async def add(
        self, session_id: str, version: int, label: str, **once: Unpack[Repeatable]
    ) -> answers.Label:
        """Give a version a label; giving it twice is giving it once."""
        segments = ("sessions", session_id, "versions", version, "labels")
        body = {"label": label, **once}
        return await self._send("POST", segments, body, answers.Label.of)

    async def remove(
        self, session_id: str, version: int, label: str, **once: Unpack[Repeatable]
    ) -> None:
        """Take a label away."""
        segments = ("sessions", session_id, "versions", version, "labels", label)
        await self._remove(segments, calls.key_in(once))
