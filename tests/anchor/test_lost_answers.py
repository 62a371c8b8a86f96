"""200 answers lost after the commit: Anchor's client asks again, and it is done once.

It sends no idempotency keys: what it sends again is known by being the last act of the
same key, in the same words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.anchor.releases import RELEASES, ClientProcess
from tests.live import Server
from tests.races.dropping_proxy import DroppingProxy, dropping

ROUNDS = 25
ACTS = 8
# What this test asks for itself.
LOOKED = ("data.list", "config.read")


@pytest.fixture
def proxy(live: Server) -> Iterator[DroppingProxy]:
    with dropping(live.url, is_by_content=True) as proxy:
        yield proxy


@pytest.fixture
def client(proxy: DroppingProxy, secret: str) -> Iterator[Any]:
    """A client of the newest release that hurries; both ask again alike."""
    process = ClientProcess(RELEASES[-1])
    hurried = {"api_key": secret, "base_url": proxy.url, "retry_delay": 0.01}
    yield process.open(config=hurried)
    process.close()


def test_200_of_200_lost_answers_are_done_exactly_once(
    client: Any, proxy: DroppingProxy, rest: httpx.Client
) -> None:
    made = rest.post("/v1/agents", json={"name": "lossy"}).json()
    path = f"/v1/agents/{made['id']}"

    for number in range(ROUNDS):
        do_everything(client, made["id"], number)

    assert len(proxy.dropped) == ROUNDS * ACTS == 200
    assert set(proxy.dropped.values()) == {200}
    told = rest.get(f"{path}/data", params={"limit": 1000}).json()["data"]
    assert len(told) == 3 * ROUNDS
    written = rest.post(f"{path}/data", json={"key": "end", "value": "v"}).json()
    assert written["number"] == 8 * ROUNDS + 1
    config = rest.get(f"{path}/config").json()
    assert config["version"] == f"v{2 * ROUNDS}"
    listed = rest.get(f"{path}/checkpoints", params={"limit": 1000}).json()
    assert len(listed["data"]) == listed["total"] == ROUNDS
    audit = rest.get(f"{path}/audit", params={"limit": 1000}).json()["data"]
    done = Counter(one["operation"] for one in audit)
    assert {name: n for name, n in done.items() if name not in LOOKED} == {
        "agent.created": 1,
        "data.write": 3 * ROUNDS + 1,
        "config.update": ROUNDS,
        "checkpoint.create": ROUNDS,
        "data.delete": ROUNDS,
        "data.delete_prefix": ROUNDS,
        "checkpoint.restore": ROUNDS,
        "config.rollback": ROUNDS,
    }
    assert rest.get(f"{path}/audit/verify").json()["valid"]


def do_everything(client: Any, agent_id: str, number: int) -> None:
    """Do each thing once, and look at its counts as if no answer had been lost."""
    keys = [f"b:{number}:{at}" for at in range(2)]
    assert client.data.write(agent_id, f"a:{number}", "v").allowed
    batch = client.data.write_batch(agent_id, dict.fromkeys(keys, "v"))
    assert [one.allowed for one in batch] == [True, True]
    config = client.config.update(agent_id, {"n": number})
    assert config.version == f"v{2 * number + 1}"
    point = client.checkpoints.create(agent_id, f"step {number}")
    assert client.data.delete(agent_id, f"a:{number}") is True
    assert client.data.delete_prefix(agent_id, f"b:{number}:") == 2
    done = client.checkpoints.restore(agent_id, point.id)
    assert (done.data_keys_restored, done.data_keys_removed) == (3 * (number + 1), 0)
    back = client.config.rollback(agent_id, f"v{2 * number}")
    assert back.version == f"v{2 * number + 2}"
