"""A receiver of webhooks that can be told to be down, slow or wrong."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.live import free_port


@dataclass(frozen=True)
class Received:
    """One request as it came in, and what was answered."""

    headers: dict[str, str]
    content: bytes
    status: int

    @property
    def body(self) -> Any:
        return json.loads(self.content)

    @property
    def id(self) -> str:
        return str(self.body["id"])

    @property
    def kind(self) -> str:
        return str(self.body["type"])

    @property
    def stream(self) -> str:
        return str(self.body["data"].get("session_id"))

    @property
    def number(self) -> int:
        return int(self.body["data"]["version"])

    def is_signed_with(self, secret: str) -> bool:
        """Check both signatures, as a receiver would."""
        plain = hmac.new(secret.encode(), self.content, hashlib.sha256).hexdigest()
        key = base64.b64decode(secret.removeprefix("whsec_"))
        head = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}."
        digest = hmac.new(key, head.encode() + self.content, hashlib.sha256).digest()
        signatures = self.headers["webhook-signature"].split()
        return (
            self.headers["x-statebase-signature"] == plain
            and f"v1,{base64.b64encode(digest).decode()}" in signatures
        )


@dataclass
class Receiver:
    """Listens while it is up; `answer` decides by what came in, and may take long."""

    port: int = field(default_factory=free_port)
    seen: list[Received] = field(default_factory=list)
    answer: Callable[[Received], int] = lambda _: 200
    headers: dict[str, str] = field(default_factory=dict)
    server: ThreadingHTTPServer | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    def up(self) -> Receiver:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): text for name, text in self.headers.items()}
                status = receiver.answer(Received(headers, content, 0))
                receiver.seen.append(Received(headers, content, status))
                try:
                    self.send_response(status)
                    if status in range(300, 400):
                        self.send_header("Location", receiver.url)
                    for name, text in receiver.headers.items():
                        self.send_header(name, text)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                except OSError:
                    pass  # the sender was killed meanwhile

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        ThreadingHTTPServer.allow_reuse_address = True
        self.server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.server.daemon_threads = True
        threading.Thread(
            target=self.server.serve_forever, args=(0.05,), daemon=True
        ).start()
        return self

    def down(self) -> None:
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()
            self.server = None

    def accepted(self) -> list[Received]:
        """What was answered with success, each id once, as it came in."""
        found: dict[str, Received] = {}
        for one in self.seen:
            if one.status == 200:
                found.setdefault(one.id, one)
        return list(found.values())


def slowly(seconds: float) -> Callable[[Received], int]:
    def answer(_: Received) -> int:
        time.sleep(seconds)
        return 200

    return answer


def assert_in_order(seen: list[Received]) -> None:
    """Assert that of each session no version came before one that is older."""
    last: dict[str, int] = {}
    for one in seen:
        assert one.number >= last.get(one.stream, 0), f"{one.stream} v{one.number}"
        last[one.stream] = one.number
