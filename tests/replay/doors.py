"""The two doors of the API that a replay uses, each write with an idempotency key.

A write whose outcome is not known is sent again with its key, as an agent must.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import httpx
from statebase import StateBase  # type: ignore[import-untyped]

Answer = TypeVar("Answer")

PAUSES = (0.1, 0.4, 1.6, 6.4)
PASSING = (429, 502, 503, 504)
TIMEOUT = 60.0
KEY = "Idempotency-Key"


class Doors:
    """The SDK and REST with one key; for one thread at a time."""

    def __init__(self, url: str, secret: str) -> None:
        self.sdk = StateBase(api_key=secret, base_url=url, timeout=TIMEOUT)
        self.rest = httpx.Client(
            base_url=url, headers={"X-API-Key": secret}, timeout=TIMEOUT
        )

    def close(self) -> None:
        self.sdk.close()
        self.rest.close()

    def keyed(self, key: str, act: Callable[[Any], Answer]) -> Answer:
        """Let `act` call the SDK, which has no argument for the idempotency key.

        Its requests carry what stands in the headers of its own HTTP client.
        """
        self.sdk.client.headers[KEY] = key
        try:
            return persistently(lambda: act(self.sdk))
        finally:
            del self.sdk.client.headers[KEY]

    def write(self, method: str, path: str, key: str, body: Any) -> Any:
        """Send a write over REST; return its answer."""

        def send() -> Any:
            answer = self.rest.request(method, path, json=body, headers={KEY: key})
            answer.raise_for_status()
            return answer.json()

        return persistently(send)

    def read(self, path: str, **query: Any) -> Any:
        def send() -> Any:
            answer = self.rest.get(path, params=query)
            answer.raise_for_status()
            return answer.json()

        return persistently(send)

    def pages(self, path: str, **query: Any) -> Iterator[Any]:
        """Return the items of a list, page after page."""
        page = self.read(path, **query)
        yield from page["data"]
        while page["has_more"]:
            page = self.read(path, **query, starting_after=page["last_id"])
            yield from page["data"]


def persistently(send: Callable[[], Answer]) -> Answer:
    """Return what `send` returns, after a few pauses where the fault may pass."""
    for pause in PAUSES:
        try:
            return send()
        except httpx.TransportError:
            time.sleep(pause)
        except httpx.HTTPStatusError as refused:
            if refused.response.status_code not in PASSING:
                raise
            time.sleep(pause)
    return send()
