"""An S3 server of moto's, and a proxy before it that fails as networks do."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from moto.server import ThreadedMotoServer

BUCKET = "kept"
PASSED_ON = {"etag", "content-type", "content-range", "last-modified"}


@dataclass(slots=True)
class Proxy:
    """What happens to requests: `fault` is none, 500, hang, cut, lost or late.

    Behind "lost" and "late" the store has done what was asked; the answer is none, or
    that of a gateway which waited no longer.
    """

    address: str
    behind: str
    fault: str = ""
    # Of how many requests: for ever, unless it is said.
    times: int = -1
    seen: list[str] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    def store(self, prefix: str = "notes") -> str:
        return f"s3://{BUCKET}/{prefix}?endpoint={self.address}&region=us-east-1"

    def take_fault(self) -> str:
        if self.times == 0:
            return ""
        self.times -= 1
        return self.fault


@contextmanager
def running() -> Iterator[Proxy]:
    """Run the server with an empty bucket, and the proxy before it."""
    moto = ThreadedMotoServer(port=0, verbose=False)
    moto.start()
    host, port = moto.get_host_and_port()
    behind = f"http://{host}:{port}"
    made = Request(f"{behind}/{BUCKET}", method="PUT")
    urlopen(made).close()
    proxy = Proxy("", behind)
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), type("Failing", (Handler,), {"proxy": proxy})
    )
    server.daemon_threads = True
    proxy.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.released.set()
        server.shutdown()
        server.server_close()
        moto.stop()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    proxy: ClassVar[Proxy]

    def handle_any(self) -> None:
        self.proxy.seen.append(f"{self.command} {self.path}")
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = self.proxy.take_fault()
        if fault == "hang":
            self.proxy.released.wait(30)
            self.close_connection = True
            return
        if fault == "500":
            self.answer(500, [], b"")
            return
        status, headers, body = self.passed_on(sent)
        if fault == "lost":
            self.close_connection = True
            return
        if fault == "late":
            self.answer(504, [], b"")
            return
        self.answer(status, headers, body, cut=fault == "cut")

    do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = handle_any

    def passed_on(self, sent: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        behind = HTTPConnection(urlsplit(self.proxy.behind).netloc, timeout=20)
        behind.request(self.command, self.path, sent, dict(self.headers))
        found = behind.getresponse()
        headers = [(n, v) for n, v in found.getheaders() if n.lower() in PASSED_ON]
        body = found.read()
        if self.command == "HEAD":
            headers.append(("Content-Length", found.getheader("Content-Length", "0")))
        behind.close()
        return found.status, headers, body

    def answer(
        self,
        status: int,
        headers: list[tuple[str, str]],
        body: bytes,
        cut: bool = False,
    ) -> None:
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if self.command != "HEAD":
            self.send_header("Content-Length", str(len(body) + (7 if cut else 0)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        if cut:
            self.close_connection = True

    def log_message(self, *args: Any) -> None:
        """Say nothing."""
