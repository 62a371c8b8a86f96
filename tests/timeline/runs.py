"""An agent's run against the API: one session and the client that writes to it."""

from dataclasses import dataclass
from typing import Any

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
        return self.made.body["id"]

    def path(self, *rest: Any) -> str:
        return "/".join(["/v1/sessions", self.id, *map(str, rest)])

    def get(self, *rest: Any, **query: Any) -> Any:
        """Return the body of a read."""
        return succeeded(self.client.get(self.path(*rest), query or None)).body

    def patch(self, state: Any = None, **fields: Any) -> Answer:
        body = fields if state is None else {"state": state, **fields}
        return succeeded(self.client.patch(self.path("state"), body))

    def put(self, state: Any, **fields: Any) -> Answer:
        body = {"state": state, **fields}
        return succeeded(self.client.put(self.path("state"), body))

    def turn(self, said: Any = "Hi", heard: Any = "Hello", **fields: Any) -> Any:
        body = {"input": said, "output": heard, **fields}
        return succeeded(self.client.post(self.path("turns"), body)).body

    def rollback(self, version: int, **fields: Any) -> Any:
        body = {"version": version, **fields}
        return succeeded(self.client.post(self.path("rollback"), body)).body

    def fork(self, **fields: Any) -> "Run":
        answer = self.client.post(self.path("fork"), fields)
        return Run(self.client, succeeded(answer))

    def hold(self, verb: str, **fields: Any) -> Any:
        """Pause, resume or close."""
        return succeeded(self.client.post(self.path(verb), fields)).body

    @property
    def state(self) -> Any:
        return self.get("state")["state"]

    @property
    def head(self) -> int:
        return self.get("state")["version"]


def begin(client: Api, state: Any = None, **fields: Any) -> Run:
    body = {"agent_id": "travel", "initial_state": state, **fields}
    return Run(client, succeeded(client.post("/v1/sessions", body)))


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
