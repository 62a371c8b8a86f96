"""Figures of agents' data over REST: kept, written, held back."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Scope
from apps.data.browsing import figures
from tests.data.conftest import AGENT, Store, made

PLANTED = "ann.planted@example.com"


def other(store: Store, name: str) -> Store:
    made(store.client.post("/v1/agents", {"external_id": name}))
    return Store(store.client, name)


def told(store: Store, **query: Any) -> Any:
    return made(store.client.get("/v1/metrics/data", query))


@pytest.fixture
def filled(store: Store) -> Store:
    """An agent with a config and a key, of whose writes two were blocked."""
    made(store.policies(block_pii=True, max_value_size_bytes=50))
    made(store.batch([{"key": "a", "value": "123"}, {"key": "b", "value": PLANTED}]))
    made(store.write("c", "1" * 51))
    made(store.write("d", "45"))
    made(store.delete("a"))
    return store


def test_what_is_kept_written_and_blocked_is_told(filled: Store) -> None:
    found = told(filled)

    (mine,) = found["data"]
    assert (mine["external_id"], mine["keys"], mine["bytes"]) == (AGENT, 1, 2)
    # The config, two values and a deletion.
    assert (mine["writes"], mine["blocked"]) == (4, 2)
    assert found["blocked_by_policy"] == {
        "policy:block_pii": 1,
        "policy:max_value_size_bytes": 1,
    }
    assert (found["agents"], found["keys"], found["bytes"]) == (1, 1, 2)
    assert found["window"] == "24h"
    more = ("has_more", "has_more_agents", "has_more_blocked")
    assert not any(found[name] for name in more)


def test_what_was_done_before_the_window_is_not_in_it(
    filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = timezone.now() + timedelta(hours=2)
    monkeypatch.setattr("apps.timeline.api.base.timezone.now", lambda: later)

    hour, day = told(filled, window="1h"), told(filled)

    assert (hour["data"][0]["writes"], hour["blocked"]) == (0, 0)
    assert (day["data"][0]["writes"], day["blocked"]) == (4, 2)
    assert hour["keys"] == day["keys"] == 1


def test_the_largest_come_first_and_it_says_that_there_are_more(filled: Store) -> None:
    large = other(filled, "large")
    made(large.write("a", "x" * 100))

    found = told(filled, limit=1)

    assert [one["external_id"] for one in found["data"]] == ["large"]
    assert found["has_more"]
    assert (found["agents"], found["bytes"]) == (2, 102)


def test_what_was_not_counted_is_said(
    filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(other(filled, "younger").write("a", "x"))
    monkeypatch.setattr(figures, "MOST_AGENTS", 1)
    monkeypatch.setattr(figures, "MOST_BLOCKED", 1)

    found = told(filled)

    assert [one["external_id"] for one in found["data"]] == ["younger"]
    assert (found["has_more_agents"], found["has_more_blocked"]) == (True, True)
    assert found["blocked"] == 1


def test_a_key_of_some_agents_is_told_of_those(
    filled: Store, api: Any, make_key: Any
) -> None:
    made(other(filled, "theirs").write("a", "x"))
    limited = api(make_key(Scope.READ, agents=["theirs"]))

    found = made(limited.get("/v1/metrics/data"))

    assert [one["external_id"] for one in found["data"]] == ["theirs"]
    assert (found["agents"], found["keys"], found["blocked"]) == (1, 1, 0)


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ({"window": "2h"}, "window"),
        ({"window": ""}, "window"),
        ({"limit": "101"}, "limit"),
        ({"from": "2026-01-01"}, "from"),
    ],
)
def test_what_it_does_not_understand_is_refused(
    store: Store, query: Any, param: str
) -> None:
    answer = store.client.get("/v1/metrics/data", query)

    assert answer.status == 400
    assert answer.body["error"]["param"] == param
