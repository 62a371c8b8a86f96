"""An endpoint for embeddings that answers what a test wants."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DIMENSIONS = 8
# As long as an answer is waited for.
SECONDS = 0.4
Body = dict[str, Any]


def row(text: str) -> list[float]:
    """Return a vector by a text's first letter: those that begin alike are near."""
    return [float(ord(text[0]) % DIMENSIONS == at) for at in range(DIMENSIONS)]


def rows(asked: Body) -> Body:
    """Answer as an endpoint does."""
    vectors = [
        {"object": "embedding", "index": at, "embedding": row(text)}
        for at, text in enumerate(asked["input"])
    ]
    return {"object": "list", "data": vectors, "model": asked["model"]}


class Served:
    """The endpoint: `answer` makes an answer of what is asked, which `asked` keeps.

    An answer is a body, or bytes, or a status, or a function that writes by itself.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.asked: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.answer: Callable[[Body], Any] = rows


@contextmanager
def serving() -> Iterator[Served]:
    """Serve until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            asked = json.loads(self.rfile.read(size))
            served.asked.append(asked)
            served.headers.append({"path": self.path, **dict(self.headers.items())})
            given = served.answer(asked)
            if callable(given):
                given(self)
                return
            status = given if isinstance(given, int) else 200
            body = given if isinstance(given, bytes) else json.dumps(given).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    served = Served(f"http://127.0.0.1:{server.server_port}/v1")
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()


def hang(handler: Any) -> None:
    threading.Event().wait(2 * SECONDS)


def redirect(handler: Any) -> None:
    handler.send_response(307)
    handler.send_header("Location", f"http://127.0.0.1:1{handler.path}")
    handler.end_headers()


def pour(handler: Any) -> None:
    """Announce nothing, and send five gigabytes, or as much as is taken."""
    handler.send_response(200)
    handler.end_headers()
    with suppress(OSError):
        for _ in range(5_000):
            handler.wfile.write(b"[" * 1_000_000)


def announce(handler: Any) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "5000000000")
    handler.end_headers()
