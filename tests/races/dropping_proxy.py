"""A proxy that loses the first attempt of every idempotency key, or the answer to it.

The answer, unless told otherwise: the server has done its work and answered in full,
the client sees its connection close without a byte, and cannot know. Where the request
itself is lost, the client sees the same. Only for requests with a Content-Length.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

SECONDS = 60
OURS = frozenset(
    {"connection", "content-length", "date", "server", "transfer-encoding"}
)


class DroppingProxy(ThreadingHTTPServer):
    """Stands before the server at `upstream`.

    `dropped` maps keys to the statuses that were lost, `refused` holds the keys whose
    request was. `is_by_content`: clients that send no keys are known by what they send.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(
        self,
        upstream: str,
        place: Callable[[str], str | None] = lambda key: "after",
        *,
        is_by_content: bool = False,
    ) -> None:
        self.is_by_content = is_by_content
        super().__init__(("127.0.0.1", 0), _Handler)
        self.place = place
        self.refused: set[str] = set()
        self.upstream = urlsplit(upstream).netloc
        self.dropped: dict[str, int] = {}
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def refuses(self, key: str) -> bool:
        """Say whether this request is lost, and remember that it was."""
        with self.lock:
            first = self.place(key) == "before" and key not in self.refused
            if first:
                self.refused.add(key)
            return first

    def loses(self, key: str, status: int) -> bool:
        """Say whether this answer is lost, and remember that it was."""
        with self.lock:
            first = self.place(key) == "after" and key not in self.dropped
            if first:
                self.dropped[key] = status
            return first


@contextmanager
def dropping(
    upstream: str,
    place: Callable[[str], str | None] = lambda key: "after",
    *,
    is_by_content: bool = False,
) -> Iterator[DroppingProxy]:
    """Run the proxy in a thread; stop it afterwards.

    `place` says where the first attempt of a key is cut: before or after; or nowhere.
    """
    with DroppingProxy(upstream, place, is_by_content=is_by_content) as proxy:
        thread = threading.Thread(target=proxy.serve_forever, args=[0.05])
        thread.start()
        try:
            yield proxy
        finally:
            proxy.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: DroppingProxy
    protocol_version = "HTTP/1.1"

    def handle_one_request(self) -> None:
        """Take any method; the base class would look for one function of each."""
        self.raw_requestline = self.rfile.readline(65537)
        self.close_connection = True
        if self.raw_requestline and self.parse_request():
            self.close_connection = True
            self._forward()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def _forward(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        key = self.headers.get("Idempotency-Key", "")
        if self.server.is_by_content:
            key = f"{self.command} {self.path} {body.decode()}"
        if self.server.refuses(key):
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        onward = HTTPConnection(self.server.upstream, timeout=SECONDS)
        try:
            onward.request(self.command, self.path, body, dict(self.headers.items()))
            response = onward.getresponse()
            content = response.read()
        finally:
            onward.close()
        if self.server.loses(key, response.status):
            self.connection.shutdown(socket.SHUT_RDWR)
        else:
            self._relay(response, content)

    def _relay(self, response: HTTPResponse, content: bytes) -> None:
        self.send_response(response.status)
        for name, text in response.getheaders():
            if name.lower() not in OURS:
                self.send_header(name, text)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)
