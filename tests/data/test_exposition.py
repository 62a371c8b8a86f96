"""What `/metrics` tells of agents' data, by agent and by policy."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from apps.data import exposition
from tests.data.conftest import AGENT, Store, made

TOKEN = "a token of 32 or so characters"
LABELS = ("project", "agent", "policy", "window")
PLANTED = "ann.planted@example.com"
Told = dict[str, dict[tuple[str, ...], float]]


@pytest.fixture
def scrape(settings: Any) -> Any:
    settings.METRICS_TOKEN = TOKEN

    def read() -> Told:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        text = Client().get("/metrics", headers=headers).content.decode()
        assert PLANTED not in text
        return {
            family.name: {
                tuple(
                    one.labels[name] for name in LABELS if name in one.labels
                ): one.value
                for one in family.samples
            }
            for family in text_string_to_metric_families(text)
        }

    return read


def other(store: Store, name: str) -> Store:
    """Another agent of the same project."""
    made(store.client.post("/v1/agents", {"external_id": name}))
    return Store(store.client, name)


def test_keys_bytes_and_operations_are_counted_by_agent(
    store: Store, scrape: Any
) -> None:
    made(store.policies(block_pii=True, max_value_size_bytes=50))
    made(store.batch([{"key": "a", "value": "123"}, {"key": "b", "value": PLANTED}]))
    made(store.write("c", "1" * 51))
    made(store.write("d", PLANTED))
    made(store.write("e", "45"))
    made(store.delete("a"))

    found = scrape()

    mine = ("checkout", AGENT)
    assert found["stepback_data_keys"] == {mine: 1}
    assert found["stepback_data_bytes"] == {mine: 2}
    # The config, two values and a deletion.
    windows = ("1h", "24h", "7d")
    assert found["stepback_data_allowed"] == {(*mine, one): 4 for one in windows}
    by_policy = {"policy:block_pii": 2, "policy:max_value_size_bytes": 1}
    assert found["stepback_data_blocked"] == {
        (*mine, policy, one): count
        for policy, count in by_policy.items()
        for one in windows
    }


def test_a_window_holds_what_was_done_in_it(store: Store) -> None:
    made(store.policies(block_pii=True))
    made(store.write("a", PLANTED))
    for key in "bcd":
        made(store.write(key))

    later = timezone.now() + timedelta(hours=2)
    found = {one.name: one.samples for one in exposition.families(later)}

    counts = {labels[-1]: value for labels, value in found["stepback_data_allowed"]}
    assert counts == {"1h": 0, "24h": 4, "7d": 4}
    blocked = {labels[-1]: value for labels, value in found["stepback_data_blocked"]}
    assert blocked == {"24h": 1, "7d": 1}


def test_agents_and_blocks_are_bounded(
    store: Store, scrape: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exposition, "MOST_AGENTS", 1)
    monkeypatch.setattr(exposition, "MOST_BLOCKS", 3)
    second, third = other(store, "second"), other(store, "third")
    for one, size in ((store, 9), (second, 5), (third, 4)):
        made(one.policies(block_pii=True))
        made(one.write("a", "1" * size))
    for one in (store, second, third, third):
        made(one.write("b", PLANTED))

    found = scrape()

    assert found["stepback_data_bytes"] == {
        ("checkout", AGENT): 9,
        ("checkout", "other"): 9,
    }
    blocked = {
        labels[1]: count
        for labels, count in found["stepback_data_blocked"].items()
        if labels[-1] == "1h"
    }
    assert blocked == {"third": 2, "other": 1}
