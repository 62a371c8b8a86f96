"""Every door of the API that takes JSON to be kept, and what all of them have stored.

A door is a request with a hole: `%s` stands where the hostile value goes, `pointer`
says where that is. What is around it would succeed.
"""

from dataclasses import dataclass
from functools import cache

from django.apps import apps

from apps.core import sql
from tests.conftest import Answer
from tests.timeline.runs import Run

OURS = ("accounts", "agents", "audit", "timeline")
BEGINNING = "/v1/sessions"


@dataclass(frozen=True)
class Door:
    """`path` is below the session, or a whole address."""

    method: str
    path: str
    body: bytes
    pointer: str

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.pointer}"

    def request(self, value: bytes) -> bytes:
        """Return the request with this value in its place, on its second line."""
        before, _, after = self.body.partition(b"%s")
        return before.replace(b"{", b"{\n", 1) + value + after

    def where(self, run: Run) -> str:
        if self.path.startswith("/"):
            return self.path
        return run.path(*filter(None, [self.path]))

    def send(self, run: Run, body: bytes, **headers: str) -> Answer:
        return run.client.send(self.method, self.where(run), body, headers)

    def refuses(self, run: Run, body: bytes, **headers: str) -> Answer:
        """Send what must be refused: nothing may be stored by it, anywhere."""
        before = stored()
        answer = self.send(run, body, **headers)
        assert answer.status >= 400, f"{self} answered {answer.content[:200]!r}"
        assert stored() == before, str(self)
        return answer


TURN = b'"input": "i", "output": "o"'
STATES = [
    Door(
        "POST", BEGINNING, b'{"agent_id": "new", "initial_state": %s}', "/initial_state"
    ),
    Door("PATCH", "state", b'{"state": %s}', "/state"),
    Door("PATCH", "state", b'{"updates": %s}', "/updates"),
    Door("PUT", "state", b'{"state": %s}', "/state"),
    Door("POST", "state", b'{"state": %s}', "/state"),
    Door("POST", "turns", b"{" + TURN + b', "state_before": %s}', "/state_before"),
    Door("POST", "turns", b"{" + TURN + b', "state_after": %s}', "/state_after"),
    Door("POST", "fork", b'{"agent_id": "new", "state": %s}', "/state"),
    Door(
        "POST",
        "versions",
        b'{"versions": [{"state": {"fine": 1}}, {"state": %s}]}',
        "/versions/1/state",
    ),
    Door(
        "POST",
        "versions",
        b'{"versions": [{"state": {"fine": 1}}, {"op": "replace", "state": %s}]}',
        "/versions/1/state",
    ),
]
PARTS = [
    Door("PUT", "state", b'{"state": {"a": 1}, "messages": [%s]}', "/messages/0"),
    Door("PATCH", "state", b'{"tool_results": {"c1": %s}}', "/tool_results/c1"),
    Door("POST", "state", b'{"state": {}, "model_params": {"p": %s}}', "/model_params"),
    Door("POST", "versions", b'{"versions": [{"tasks": [%s]}]}', "/versions/0/tasks/0"),
    Door("POST", "fork", b'{"artifacts": [%s]}', "/artifacts/0"),
    Door("POST", BEGINNING, b'{"agent_id": "new", "messages": [%s]}', "/messages/0"),
    Door(
        "POST", BEGINNING, b'{"agent_id": "new", "metadata": {"m": %s}}', "/metadata/m"
    ),
    Door("POST", "fork", b'{"agent_id": "new", "metadata": {"m": %s}}', "/metadata/m"),
    Door("PATCH", "", b'{"metadata": {"m": %s}}', "/metadata/m"),
    Door("POST", "turns", b'{"input": {"content": %s}, "output": "o"}', "/input"),
    Door("POST", "turns", b'{"input": "i", "output": {"content": %s}}', "/output"),
    Door("POST", "turns", b"{" + TURN + b', "metadata": {"m": %s}}', "/metadata/m"),
    Door("POST", "turns", b"{" + TURN + b', "messages": [%s]}', "/messages/0"),
    Door("POST", "/v1/agents", b'{"name": "n", "metadata": {"m": %s}}', "/metadata/m"),
]
DOORS = STATES + PARTS


def stored() -> str:
    """Return how many rows every table of ours has."""
    return str(sql.rows(counting(), [])[0])


@cache
def counting() -> str:
    tables = sorted(
        model._meta.db_table
        for model in apps.get_models()
        if model._meta.app_label in OURS
    )
    counts = (f"(SELECT count(*) FROM {table}) AS {table}" for table in tables)
    return f"SELECT {', '.join(counts)}"
