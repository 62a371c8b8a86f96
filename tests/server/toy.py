"""A small WSGI application behind the front: `python -m tests.server.toy PORT`.

Without Django and a database, so that a server of its own costs a test half a second.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from apps.core.errors import DomainError
from apps.core.processes.served import REFUSED
from apps.server.front.answers import FileWrapper
from apps.server.front.asgi import Front

LARGEST = 64 * 1024 * 1024
PART = b"x" * 65536
SLOW_SECONDS = 1.0
FILE = Path(__file__)
# How many parts of streams were made.
made = [0]


class Stream:
    """An answer that is made while it is sent, and breaks after some parts."""

    streaming = True

    def __init__(self, parts: int, *, breaks: bool) -> None:
        self._parts, self._breaks = parts, breaks

    def __iter__(self) -> Iterator[bytes]:
        for _ in range(self._parts):
            made[0] += 1
            yield PART
        if self._breaks:
            raise LookupError


def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    path, body = environ["PATH_INFO"], environ["wsgi.input"].read()
    refused: DomainError | None = environ.get(REFUSED)
    start_response("200 OK" if refused is None else "503 Service Unavailable", [])
    if refused is not None:
        return [refused.code.encode()]
    if path == "/slow":
        time.sleep(SLOW_SECONDS)
    if path == "/file":
        return FileWrapper(FILE.open("rb"))
    if path.startswith("/stream/"):
        return Stream(int(path[8:]), breaks=False)
    if path.startswith("/broken/"):
        return Stream(int(path[8:]), breaks=True)
    if path == "/made":
        return [b"%d" % made[0]]
    if path.startswith("/large/"):
        return [bytes(range(256)) * (int(path[7:]) // 256)]
    return [path.encode() + b" " + body]


application = Front(answer, largest=LARGEST)


def main() -> None:
    from apps.server.serving import serve

    serve(
        address="127.0.0.1",
        port=int(sys.argv[1]),
        target=f"{__spec__.name}:application",
        workers=1,
    )


if __name__ == "__main__":
    main()
