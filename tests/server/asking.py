"""Requests on their way through a front, to an application that keeps what it got."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import Any

from apps.core.errors import Busy
from apps.core.processes.served import LOST, REFUSED
from apps.server.front.answers import Environ
from apps.server.front.asgi import Front
from tests.server.running import Run, Sender, scope

SECONDS = 10
LARGEST = 1024 * 1024
READ, LONG = "/v1/read", "/v1/long"


class Visitors:
    """Knows the key `known`, finds `findable`, and nothing else."""

    def __init__(self) -> None:
        self.known = {"known"}
        self.looked_up: list[str] = []

    def presented(self, environ: Environ) -> str | None:
        return environ.get("HTTP_X_API_KEY")

    def share_of(self, presented: str) -> str | None:
        return "share" if presented in self.known else None

    def find(self, presented: str) -> str | None:
        self.looked_up.append(presented)
        return "share" if presented == "findable" else None

    def forget(self, presented: str) -> None:
        self.known.discard(presented)


class Application:
    """A WSGI application that keeps what it was asked; some of it takes long."""

    def __init__(self) -> None:
        self.asked: list[Environ] = []
        self.bodies: list[bytes | None] = []
        self.free = threading.Event()
        self.loses = False
        self.answer: Any = [b"answer"]

    def __call__(self, environ: Environ, start_response: Any) -> Iterable[bytes]:
        self.asked.append(dict(environ))
        self.bodies.append(_read(environ["wsgi.input"]))
        if environ["PATH_INFO"].startswith(LONG):
            assert self.free.wait(SECONDS)
        if self.loses:
            environ[LOST] = True
        start_response("200 OK", [])
        answer: Iterable[bytes] = self.answer
        return answer

    @property
    def refused(self) -> Any:
        return self.asked[-1].get(REFUSED)


def _read(stream: Any) -> bytes | None:
    try:
        body: bytes = stream.read()
    except Busy:
        return None
    return body


class Asked:
    """A request on its way through a front."""

    def __init__(
        self, front: Front, path: str, key: str = "", *, length: int | None = None
    ) -> None:
        headers = [(b"x-api-key", key.encode())] if key else []
        if length is not None:
            headers.append((b"content-length", b"%d" % length))
        self.sender = Sender()
        self.messages: list[dict[str, Any]] = []
        made = scope(*headers, raw_path=path.encode())
        self.run = Run(front(made, self.sender, self._send))

    def _send(self, message: dict[str, Any]) -> Any:
        self.messages.append(message)
        return Taken()

    @property
    def status(self) -> int:
        assert self.run.ended.wait(SECONDS)
        assert self.run.error is None
        return int(self.messages[0]["status"])


class Taken:
    """What granian returns for a message that was taken at once."""

    def __await__(self) -> Iterator[None]:
        return iter(())
