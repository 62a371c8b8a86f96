"""Traffic for races: clients on connections of their own that start together.

`http.client` and not httpx: a hundred clients cost little beside the server that they
share two cores with, and nothing is retried behind a test's back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPConnection
from threading import Barrier
from typing import Any, TypeVar
from urllib.parse import urlsplit

T = TypeVar("T")
SECONDS = 60
REPLAYED = "idempotent-replayed"


@dataclass(frozen=True)
class Answer:
    """An answer; header names are in lower case."""

    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.content)

    @property
    def error(self) -> Any:
        return self.body["error"]

    @property
    def is_replay(self) -> bool:
        return self.headers.get(REPLAYED) == "true"


class Line:
    """One connection of one client, opened with the first request."""

    def __init__(self, url: str, secret: str) -> None:
        self.connection = HTTPConnection(urlsplit(url).netloc, timeout=SECONDS)
        self.secret = secret

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Header names may be written with underscores: `Idempotency_Key="k"`.

        Raises: OSError, http.client.HTTPException when no answer comes.
        """
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        content = None if body is None else json.dumps(body).encode()
        if content is not None:
            named["Content-Type"] = "application/json"
        self.connection.request(
            method, path, content, {"X-API-Key": self.secret, **named}
        )
        response = self.connection.getresponse()
        received = {name.lower(): text for name, text in response.getheaders()}
        return Answer(response.status, received, response.read())

    def get(self, path: str) -> Answer:
        return self.send("GET", path)

    def post(self, path: str, body: Any = None, **headers: str) -> Answer:
        return self.send("POST", path, body, **headers)

    def put(self, path: str, body: Any, **headers: str) -> Answer:
        return self.send("PUT", path, body, **headers)

    def patch(self, path: str, body: Any, **headers: str) -> Answer:
        return self.send("PATCH", path, body, **headers)

    def close(self) -> None:
        self.connection.close()


def at_once(acts: Sequence[Callable[[], T]]) -> list[T]:
    """Run each act in a thread of its own, all from one moment; return what they did.

    Raises: what the first failing act raised.
    """
    barrier = Barrier(len(acts))

    def started(act: Callable[[], T]) -> T:
        barrier.wait(SECONDS)
        return act()

    with ThreadPoolExecutor(len(acts)) as pool:
        return [done.result() for done in [pool.submit(started, act) for act in acts]]
