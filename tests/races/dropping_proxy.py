"""A proxy that loses the answer to the first attempt of every idempotency key.

The server has done its work and answered in full; the client sees its connection
close without a byte, and cannot know. Only for requests with a Content-Length.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

SECONDS = 60
OURS = frozenset(
    {"connection", "content-length", "date", "server", "transfer-encoding"}
)


class DroppingProxy(ThreadingHTTPServer):
    """Stands before the server at `upstream`; `dropped` maps keys to lost statuses."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, upstream: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.upstream = urlsplit(upstream).netloc
        self.dropped: dict[str, int] = {}
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def loses(self, key: str, status: int) -> bool:
        """Say whether this answer is lost, and remember that it was."""
        with self.lock:
            first = key not in self.dropped
            if first:
                self.dropped[key] = status
            return first


@contextmanager
def dropping(upstream: str) -> Iterator[DroppingProxy]:
    """Run the proxy in a thread; stop it afterwards."""
    with DroppingProxy(upstream) as proxy:
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
        onward = HTTPConnection(self.server.upstream, timeout=SECONDS)
        try:
            onward.request(self.command, self.path, body, dict(self.headers.items()))
            response = onward.getresponse()
            content = response.read()
        finally:
            onward.close()
        key = self.headers.get("Idempotency-Key", "")
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
