"""Sessions of two users, and calls as StateBase's clients make them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.conftest import Answer, Api


@dataclass(frozen=True)
class Mind:
    """What one key can do with memories."""

    client: Api

    def session(self, user: str | None = "ada", agent: str = "travel") -> str:
        body = {"agent_id": agent, "user_id": user}
        return str(done(self.client.post("/v1/sessions", body))["id"])

    def add(self, content: str, **more: Any) -> Any:
        return done(self.tried(content, **more))

    def tried(self, content: Any, **more: Any) -> Answer:
        return self.client.post("/v1/memories", {"content": content, **more})

    def read(self, memory_id: str) -> Answer:
        return self.client.get(f"/v1/memories/{memory_id}")

    def patch(self, memory_id: str, **body: Any) -> Answer:
        return self.client.patch(f"/v1/memories/{memory_id}", body)

    def delete(self, memory_id: str) -> Answer:
        return self.client.delete(f"/v1/memories/{memory_id}")

    def versions(self, memory_id: str) -> Any:
        return done(self.client.get(f"/v1/memories/{memory_id}/versions"))["data"]

    def listed(self, **query: Any) -> list[str]:
        found = done(self.client.get("/v1/memories", query))
        return [one["content"] for one in found["data"]]

    def search(self, query: str, **more: Any) -> Any:
        return done(self.client.get("/v1/memories", {"query": query, **more}))

    def found(self, query: str, **more: Any) -> list[str]:
        return [one["content"] for one in self.search(query, **more)["data"]]

    def context(self, session_id: str, **body: Any) -> Any:
        return done(self.client.post(f"/v1/sessions/{session_id}/context", body))

    def recalled(self, session_id: str, **body: Any) -> list[str]:
        memories = self.context(session_id, **body)["memories"]
        return [one["content"] for one in memories]

    def change_state(self, session_id: str, **state: Any) -> None:
        done(self.client.patch(f"/v1/sessions/{session_id}/state", {"state": state}))

    def step_back(self, session_id: str, version: int) -> None:
        path = f"/v1/sessions/{session_id}/rollback"
        done(self.client.post(path, {"version": version}))


def done(answer: Answer) -> Any:
    """Return the body of an answer that must have succeeded."""
    assert answer.status in (200, 201), answer.content
    return answer.body


@pytest.fixture
def mind(api: Any) -> Mind:
    return Mind(api())


@pytest.fixture
def administrator(api: Any, make_key: Any) -> Mind:
    """What an administrator's key can do: it decides about proposals as people do."""
    return Mind(api(make_key(scope="admin")))
