"""Clients of the product for rows that need no load: sessions made, requests timed."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import httpx

from apps.core import json
from tests.live import Server

Answer = tuple[int, dict[str, str], bytes]
THREADS = 4


class Client:
    """One connection with one key. Bodies are sent as they are given, if bytes."""

    def __init__(self, server: Server, secret: str) -> None:
        self.connection = HTTPConnection(urlsplit(server.url).netloc, timeout=120)
        self.headers = {"X-API-Key": secret, "Content-Type": "application/json"}

    def send(self, method: str, path: str, body: Any = None, **more: str) -> Answer:
        content = body if isinstance(body, bytes | None) else json.dumps(body)
        self.connection.request(method, path, content, self.headers | more)
        response = self.connection.getresponse()
        named = {name.lower(): text for name, text in response.getheaders()}
        return response.status, named, response.read()

    def done(self, method: str, path: str, body: Any = None, **more: str) -> bytes:
        """Send, with more headers where given, and return the answer's body.

        Raises: RuntimeError unless it is a success.
        """
        status, _, content = self.send(method, path, body, **more)
        if not 200 <= status < 300:
            raise RuntimeError(f"{method} {path}: {status} {content[:500]!r}")
        return content

    def begin(self, state: Any) -> str:
        """Begin a session; return its id."""
        content = {"agent_id": "bench", "initial_state": state}
        return str(json.parse(self.done("POST", "/v1/sessions", content))["id"])

    def close(self) -> None:
        self.connection.close()


def begin_sessions(server: Server, secret: str, states: Sequence[Any]) -> list[str]:
    """Begin a session with each of the states."""

    def begun(part: Sequence[Any]) -> list[str]:
        with closing(Client(server, secret)) as client:
            return [client.begin(state) for state in part]

    with ThreadPoolExecutor(THREADS) as pool:
        parts = [states[at::THREADS] for at in range(THREADS)]
        return [one for found in pool.map(begun, parts) for one in found]


def begin_threads(url: str, count: int) -> list[str]:
    """Make threads in LangGraph's Agent Server; return their ids."""
    asked = {"metadata": {"graph_id": "bench"}}
    with httpx.Client(base_url=url, timeout=30) as client:
        answers = [client.post("/threads", json=asked) for _ in range(count)]
    return [answer.raise_for_status().json()["thread_id"] for answer in answers]
