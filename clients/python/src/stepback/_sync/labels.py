# Written by make_sync.py from _async/labels.py: do not edit.
"""Labels of versions."""

from __future__ import annotations

from typing import Unpack

from stepback import answers, calls
from stepback._sync.resource import Resource
from stepback.stories import Repeatable


class Labels(Resource):
    """Names of versions."""

    def add(
        self, session_id: str, version: int, label: str, **once: Unpack[Repeatable]
    ) -> answers.Label:
        """Give a version a label; giving it twice is giving it once."""
        segments = ("sessions", session_id, "versions", version, "labels")
        body = {"label": label, **once}
        return self._send("POST", segments, body, answers.Label.of)

    def remove(
        self, session_id: str, version: int, label: str, **once: Unpack[Repeatable]
    ) -> None:
        """Take a label away."""
        segments = ("sessions", session_id, "versions", version, "labels", label)
        self._remove(segments, calls.key_in(once))
