"""Translate responses of the WSGI application into ASGI messages for granian.

A response of the usual size is handed over whole, a large one in pieces (`departures`).
A file is read and sent by granian itself. Only a streaming response keeps its thread
while it is sent, and is given up when its reader stalls.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from io import BufferedReader
from typing import Any

from apps.server.front.departures import PIECE, STALL_SECONDS, Send

Environ = dict[str, Any]
Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

LENGTH = b"content-length"


class FileWrapper:
    """A file to send, as Django gives it to a WSGI server."""

    def __init__(self, file: Any, block_size: int = PIECE) -> None:
        self.file = file
        self._block_size = block_size

    @property
    def path(self) -> str | None:
        """The path of a file of the disk that is sent from its beginning."""
        if isinstance(self.file, BufferedReader) and self.file.tell() == 0:
            name = self.file.name
            return name if isinstance(name, str) else None
        return None

    def __iter__(self) -> Iterator[bytes]:
        while block := self.file.read(self._block_size):
            yield block

    def close(self) -> None:
        self.file.close()


def _do_nothing() -> None:
    """Close an answer that has nothing to close."""


@dataclass(slots=True)
class Answer:
    """What the application answered: a body, the path of a file, or what makes it."""

    start: dict[str, Any]
    close: Callable[[], object] = _do_nothing
    body: bytes = b""
    path: str | None = None
    parts: Iterable[bytes] | None = None

    @property
    def is_large(self) -> bool:
        """Whether it goes in pieces, as its reader takes them."""
        return len(self.body) > PIECE

    def send(self, send: Send) -> None:
        """Send it from this thread, which waits for nobody but the reader of parts.

        Raises: TimeoutError when that one takes nothing; whatever making them raises.
        """
        _sent(send(self.start))
        if self.path is not None:
            _sent(send({"type": "http.response.pathsend", "path": self.path}))
            return
        for part in () if self.parts is None else self.parts:
            _sent(send(_body_message(part, more=True)))
        _sent(send(_body_message(self.body, more=False)))


def answer_of(application: Application, environ: Environ) -> Answer:
    """Call the application; the answer is to be closed once nothing more is read."""
    begun: list[Any] = []

    def start_response(status: str, headers: Any, exc_info: Any = None) -> None:
        begun[:] = status, headers

    result = application(environ, start_response)
    answer = Answer(_start_message(*begun), getattr(result, "close", _do_nothing))
    try:
        _fill(answer, result)
    except BaseException:
        answer.close()
        raise
    return answer


def _fill(answer: Answer, result: Iterable[bytes]) -> None:
    if isinstance(result, FileWrapper):
        answer.path = result.path
    if getattr(result, "streaming", False):
        answer.parts = result
    elif answer.path is None:
        answer.body = b"".join(result)
        headers = answer.start["headers"]
        if answer.body and not any(name == LENGTH for name, _ in headers):
            # An answer that is cut short then shows it.
            headers.append((LENGTH, b"%d" % len(answer.body)))


def _start_message(status: str, headers: Iterable[tuple[str, str]]) -> dict[str, Any]:
    return {
        "type": "http.response.start",
        "status": int(status[:3]),
        "headers": [
            (name.lower().encode(), value.encode("latin-1")) for name, value in headers
        ],
    }


def _body_message(body: bytes, *, more: bool) -> dict[str, Any]:
    return {"type": "http.response.body", "body": body, "more_body": more}


def _sent(sending: Any) -> None:
    """Block until granian has taken a message.

    Raises: TimeoutError.
    """
    if not hasattr(sending, "add_done_callback"):  # It was taken at once.
        return
    taken = threading.Event()
    sending.add_done_callback(lambda _: taken.set())
    if not taken.wait(STALL_SECONDS):
        sending.cancel()
        raise TimeoutError("the reader took nothing")
