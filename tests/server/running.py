"""Coroutines of the server run by hand: what they wait for ends when a test says so."""

from __future__ import annotations

import threading
from asyncio import CancelledError
from collections.abc import Callable, Coroutine, Generator
from typing import Any

from apps.server.front.loop import Steps


class Pending:
    """What granian gives to wait for: it ends once, with a value or cancelled."""

    def __init__(self) -> None:
        self.callbacks: list[Callable[[Any], None]] = []
        self.is_done = self.is_cancelled = False
        self.value: Any = None

    def __await__(self) -> Generator[Pending]:
        if not self.is_done:
            yield self
        return self.result()

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        self.callbacks.append(callback)
        if self.is_done:
            callback(self)

    def result(self) -> Any:
        if self.is_cancelled:
            raise CancelledError
        return self.value

    def end(self, value: Any = None, *, is_cancelled: bool = False) -> None:
        if self.is_done:
            return
        self.is_done, self.is_cancelled, self.value = True, is_cancelled, value
        for callback in self.callbacks:
            callback(self)

    def cancel(self) -> None:
        self.end(is_cancelled=True)


class Run:
    """A coroutine under way; `value` or `error` is there once it has ended."""

    def __init__(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        self.ended = threading.Event()
        self.value: Any = None
        self.error: BaseException | None = None
        Steps(self._run(coroutine))()

    async def _run(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        try:
            self.value = await coroutine
        except BaseException as error:  # noqa: BLE001 - the test looks at it
            self.error = error
        self.ended.set()

    @property
    def is_over(self) -> bool:
        return self.ended.is_set()


class Sender:
    """The client's side of a body: call it to receive, send to what waits."""

    def __init__(self) -> None:
        self.asked = 0
        self._waiting: Pending | None = None

    def __call__(self) -> Pending:
        self.asked += 1
        self._waiting = Pending()
        return self._waiting

    def sends(self, body: bytes, *, more: bool = True) -> None:
        self._end({"type": "http.request", "body": body, "more_body": more})

    def is_cut(self) -> None:
        self._end({"type": "http.disconnect"})

    def _end(self, message: dict[str, Any]) -> None:
        assert self._waiting
        self._waiting.end(message)


def scope(*headers: tuple[bytes, bytes], **others: Any) -> dict[str, Any]:
    """Return a scope as granian gives it."""
    usual = {
        "type": "http",
        "http_version": "1.1",
        "server": ("127.0.0.1", "8000"),
        "client": ("127.0.0.2", "49394"),
        "scheme": "http",
        "method": "GET",
        "path": "/",
        "raw_path": b"/",
        "query_string": b"",
        "headers": list(headers),
    }
    return usual | others
