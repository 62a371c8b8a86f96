"""A shared document over the API, as one caller sees it."""

from dataclasses import dataclass
from typing import Any

from django.db.models.functions import Now

from apps.core import json
from apps.timeline.models import Lease
from tests.conftest import Answer, Api


@dataclass(frozen=True)
class Board:
    """What is asked of it in one word is answered as it comes."""

    client: Api
    name: str

    @property
    def path(self) -> str:
        return f"/v1/shared/{self.name}"

    def send(self, method: str, rest: str, body: Any, **headers: str) -> Answer:
        sent = json.dumps(body)
        return self.client.send(method, f"{self.path}{rest}", sent, headers)

    def get(self, rest: str = "", **query: Any) -> Answer:
        return self.client.get(f"{self.path}{rest}", query or None)

    def patch(self, state: Any, **fields: Any) -> Answer:
        return self.send("PATCH", "", {"state": state, **fields})

    def put(self, state: Any, **fields: Any) -> Answer:
        return self.send("PUT", "", {"state": state, **fields})

    def rollback(self, version: int, **fields: Any) -> Answer:
        return self.send("POST", "/rollback", {"version": version, **fields})

    def take(self, holder: str, seconds: int = 60) -> Answer:
        return self.send("POST", "/lease", {"holder": holder, "seconds": seconds})

    def renew(self, fence: int, seconds: int = 60) -> Answer:
        return self.send("POST", "/lease/renew", {"fence": fence, "seconds": seconds})

    def release(self, fence: int) -> Answer:
        return self.send("POST", "/lease/release", {"fence": fence})

    @property
    def state(self) -> Any:
        return self.get().body["state"]


def assert_problem(answer: Answer, status: int, code: str) -> None:
    assert (answer.status, answer.code) == (status, code)


def lapse(board: Board) -> None:
    """Have the time of the board's lease be over, by the database's clock."""
    session_id = board.get().body["session_id"]
    Lease.objects.filter(session_id=session_id).update(until=Now())
