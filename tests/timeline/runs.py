"""An agent's run against the API: one session and the client that writes to it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from apps.core import json
from tests.conftest import Answer, Api


@dataclass(frozen=True)
class Run:
    """A session over the API; `made` is the answer that began it.

    What is asked of it in one word must succeed; `client` with `path` sends anything.
    """

    client: Api
    made: Answer

    @property
    def id(self) -> str:
        return str(self.made.body["id"])

    def path(self, *rest: Any) -> str:
        return "/".join(["/v1/sessions", self.id, *map(str, rest)])

    def get(self, *rest: Any, **query: Any) -> Any:
        """Return the body of a read."""
        return succeeded(self.client.get(self.path(*rest), query or None)).body

    def send(self, method: str, path: str, body: Any) -> Answer:
        """Send what must succeed, written by our own writer for the large integers."""
        return succeeded(self.client.send(method, self.path(path), json.dumps(body)))

    def patch(self, state: Any = None, **fields: Any) -> Answer:
        body = fields if state is None else {"state": state, **fields}
        return self.send("PATCH", "state", body)

    def put(self, state: Any, **fields: Any) -> Answer:
        return self.send("PUT", "state", {"state": state, **fields})

    def post(self, path: str, body: Any) -> Any:
        """Return the body of what a POST answers."""
        return self.send("POST", path, body).body

    def turn(self, said: Any = "Hi", heard: Any = "Hello", **fields: Any) -> Any:
        body = {"input": said, "output": heard, **fields}
        return self.send("POST", "turns", body).body

    def rollback(self, version: int, **fields: Any) -> Any:
        return self.send("POST", "rollback", {"version": version, **fields}).body

    def fork(self, **fields: Any) -> "Run":
        return Run(self.client, self.send("POST", "fork", fields))

    def hold(self, verb: str, **fields: Any) -> Any:
        """Pause, resume or close."""
        return self.send("POST", verb, fields).body

    @property
    def state(self) -> Any:
        return self.get("state")["state"]

    @property
    def head(self) -> int:
        return int(self.get("state")["version"])


# What the fixtures `begin`, `api` and `make_key` are.
Begin: TypeAlias = Callable[..., Run]
Clients: TypeAlias = Callable[..., Api]
Keys: TypeAlias = Callable[..., str]


def begin(client: Api, state: Any = None, **fields: Any) -> Run:
    body = {"agent_id": "travel", "initial_state": state, **fields}
    return Run(client, succeeded(client.post("/v1/sessions", json.dumps(body))))


def succeeded(answer: Answer) -> Answer:
    assert answer.status < 300, answer.content
    return answer


def assert_refused(
    answer: Answer, status: int, code: str, param: str | None = None
) -> None:
    """Assert that the error is this one; `param` only if it is given."""
    assert (answer.status, answer.code) == (status, code), answer.content
    assert param is None or answer.param == param
    assert answer.body["error"]["request_id"] == answer.headers["X-Request-Id"]
