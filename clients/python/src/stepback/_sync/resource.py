# Written by make_sync.py from _async/resource.py: do not edit.
"""What all parts of the client ask with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from stepback import answers, calls
from stepback._sync.transport import Transport
from stepback.calls import Call
from stepback.waiting import Rounds

Result = TypeVar("Result")
Segments = tuple[str | int, ...]


class Resource:
    """Some of the calls of one client."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def _rounds(self, seconds: float) -> Rounds:
        """Begin to wait for something by requests that the server lets wait."""
        return Rounds(seconds, read_timeout=self._transport.read_timeout)

    def _ask(
        self, read: Callable[[Any], Result], segments: Segments, **query: Any
    ) -> Result:
        return self._transport.run(
            Call(method="GET", path=calls.path(*segments), read=read, query=query)
        )

    def _send(
        self,
        method: str,
        segments: Segments,
        body: Mapping[str, Any] | None,
        read: Callable[[Any], Result],
        key: str | None = None,
        query: Mapping[str, Any] | None = None,
    ) -> Result:
        """Send a write, which is done once under its key.

        The key may stand among the fields of the body, as callers give it.
        """
        fields = None if body is None else dict(body)
        said = fields.pop("idempotency_key", None) if fields else None
        return self._transport.run(
            Call(
                method=method,
                path=calls.path(*segments),
                read=read,
                body=fields,
                query=query or {},
                idempotency_key=key or said,
            )
        )

    def _remove(self, segments: Segments, key: str | None) -> None:
        self._send("DELETE", segments, None, answers.anything, key)
