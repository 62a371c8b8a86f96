"""Several at once: writers of one key, a limit of keys, a config that changes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from tests.conftest import Api
from tests.data.conftest import AGENT, Store, made

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(acts: list[Callable[[], Any]]) -> list[Any]:
    """Run the acts in threads that start together; return what each returned."""
    outcomes: list[Any] = []
    barrier = threading.Barrier(len(acts))

    def work(act: Callable[[], Any]) -> None:
        try:
            barrier.wait(30)
            outcomes.append(act())
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=[act]) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def each(api: Callable[[], Api], number: int) -> list[Store]:
    """Return the agent's data as seen by so many clients, each with its own key."""
    return [Store(api(), AGENT) for _ in range(number)]


def test_writers_of_one_key_each_make_a_version(store: Store, api: Any) -> None:
    def write(one: Store, value: str) -> Callable[[], Any]:
        return lambda: made(one.write("a", value))["version"]

    found = at_once([write(one, str(place)) for place, one in enumerate(each(api, 6))])

    assert sorted(found) == [1, 2, 3, 4, 5, 6]
    past = made(store.versions("a"))["data"]
    assert sorted(one["value"] for one in past) == ["0", "1", "2", "3", "4", "5"]
    assert made(store.at("a"))["value"] == past[0]["value"]


def test_of_writers_that_saw_the_same_version_one_wins(store: Store, api: Any) -> None:
    made(store.write("a", "0"))

    def write(one: Store, value: str) -> Callable[[], Any]:
        return lambda: one.write("a", value, expected_version=1).status

    found = at_once(
        [write(one, str(place)) for place, one in enumerate(each(api, 4), start=1)]
    )

    assert sorted(found) == [200, 409, 409, 409]
    assert len(made(store.versions("a"))["data"]) == 2


def test_there_are_never_more_keys_than_allowed(store: Store, api: Any) -> None:
    made(store.policies(max_keys_per_agent=3))

    def write(one: Store, key: str) -> Callable[[], Any]:
        return lambda: made(one.write(key))

    found = at_once([write(one, f"k{at}") for at, one in enumerate(each(api, 6))])

    blocked = [one["blocked_by"] for one in found if not one["allowed"]]
    assert blocked == ["policy:max_keys_per_agent"] * 3
    assert len(store.keys()) == 3


def test_two_that_set_the_config_make_two_versions(store: Store, api: Any) -> None:
    def configure(one: Store, number: int) -> Callable[[], Any]:
        return lambda: made(one.configure({"n": number}))

    found = at_once([configure(one, at) for at, one in enumerate(each(api, 4))])

    assert sorted(one["version"] for one in found) == ["v1", "v2", "v3", "v4"]
    assert sorted(one["config"]["n"] for one in found) == [0, 1, 2, 3]


def test_a_write_is_held_to_the_config_that_stands_when_it_commits(
    store: Store, api: Any
) -> None:
    first, second = each(api, 2)
    outcomes = at_once(
        [
            lambda: made(first.policies(block_pii=True)),
            lambda: made(second.write("a", "ann@example.com")),
        ]
    )

    (configured,) = [one for one in outcomes if "config" in one]
    (written,) = [one for one in outcomes if "allowed" in one]
    # Allowed is only what came before the policy.
    assert not written["allowed"] or written["number"] < configured["number"]
    assert not made(store.write("b", "ann@example.com"))["allowed"]


def test_the_same_batch_from_many_places_is_one(store: Store, api: Any) -> None:
    one = Store(api(), AGENT)
    entries = [{"key": key, "value": "v"} for key in "abc"]

    found = at_once(
        [lambda: made(one.batch(entries, Idempotency_Key="k")) for _ in range(4)]
    )

    assert found == [found[0]] * 4
    assert len(made(store.versions("a"))["data"]) == 1
