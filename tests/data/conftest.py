"""An agent with data, made through the API."""

from dataclasses import dataclass
from typing import Any

import pytest

from tests.conftest import Answer, Api

AGENT = "billing"


@dataclass(frozen=True)
class Store:
    """One agent's data, as a client sees it."""

    client: Api
    agent: str = AGENT
    root: str = "/v1"

    @property
    def path(self) -> str:
        return f"{self.root}/agents/{self.agent}"

    def as_seen_by(self, client: Api) -> "Store":
        return Store(client, self.agent, self.root)

    def write(self, key: str, value: str = "v", **more: Any) -> Answer:
        body = {"key": key, "value": value, **more}
        return self.client.post(f"{self.path}/data", body)

    def batch(self, entries: Any, name: str = "entries", **headers: str) -> Answer:
        return self.client.post(f"{self.path}/data/batch", {name: entries}, **headers)

    def read(self, key: str, **query: Any) -> Answer:
        return self.client.get(f"{self.path}/data", {"key": key, **query})

    def at(self, key: str) -> Answer:
        """Read under the key's own address."""
        return self.client.get(f"{self.path}/data/{key}")

    def listed(self, **query: Any) -> Answer:
        return self.client.get(f"{self.path}/data", query)

    def keys(self, **query: Any) -> list[str]:
        return [one["key"] for one in self.listed(**query).body["data"]]

    def versions(self, key: str, **query: Any) -> Answer:
        return self.client.get(f"{self.path}/data/{key}/versions", query)

    def search(self, query: str, **more: Any) -> Answer:
        return self.client.post(f"{self.path}/data/search", {"query": query, **more})

    def delete(self, key: str) -> Answer:
        return self.client.delete(f"{self.path}/data/{key}")

    def delete_prefix(self, prefix: str) -> Answer:
        return self.client.send("DELETE", f"{self.path}/data", query={"prefix": prefix})

    def config(self) -> Answer:
        return self.client.get(f"{self.path}/config")

    def configure(self, config: Any) -> Answer:
        return self.client.put(f"{self.path}/config", config)

    def policies(self, **policies: Any) -> Answer:
        return self.configure({"policies": policies})

    def roll_back(self, version: str) -> Answer:
        return self.client.post(
            f"{self.path}/config/rollback", {"target_version": version}
        )

    @property
    def checkpoints(self) -> str:
        return f"{self.path}/checkpoints"

    def checkpoint(self, label: str | None = None, **more: Any) -> Answer:
        return self.client.post(self.checkpoints, {"label": label, **more})

    def restore(self, checkpoint: Any, **more: Any) -> Answer:
        return self.client.post(f"{self.checkpoints}/{checkpoint['id']}/restore", more)

    def compare(self, first: Any, second: Any, **query: Any) -> Answer:
        ids = f"{first['id']}/compare/{second['id']}"
        return self.client.get(f"{self.checkpoints}/{ids}", query)

    def values(self) -> dict[str, str]:
        """Return all keys with their values, up to a page of them."""
        listed = made(self.listed(full="true", limit=1000))
        return {one["key"]: one["value"] for one in listed["data"]}


def made(answer: Answer) -> Any:
    """Return the body of an answer that must have succeeded."""
    assert answer.status in (200, 201), answer.content
    return answer.body


@pytest.fixture
def store(api: Any) -> Store:
    """The data of an agent that has none yet."""
    client = api()
    made(client.post("/v1/agents", {"name": "Billing", "external_id": AGENT}))
    return Store(client)
