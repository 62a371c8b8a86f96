"""Checkpoints and restores beside each other and beside writers: one after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from apps.data.models import Checkpoint
from tests.conftest import Answer
from tests.data.conftest import Store, made
from tests.data.test_at_once import at_once, each

pytestmark = pytest.mark.django_db(transaction=True)


def test_one_under_load_is_one_cut(store: Store, api: Any) -> None:
    made(store.configure({"n": 0}))
    writers = each(api, 3)

    def write(one: Store, name: str) -> Callable[[], Any]:
        def act() -> None:
            for n in range(8):
                made(one.write(f"{name}:{n}", str(n)))
                made(one.write(f"{name}:last", str(n)))

        return act

    def make() -> list[Any]:
        return [made(store.checkpoint(f"cut {n}")) for n in range(6)]

    acts = [write(one, name) for one, name in zip(writers, "abc", strict=True)]
    outcomes = at_once([*acts, make])

    (checkpoints,) = [one for one in outcomes if one is not None]
    for checkpoint in checkpoints:
        data = {
            one["key"]: one["value"]
            for one in made(
                store.listed(full="true", at=checkpoint["number"], limit=1000)
            )["data"]
        }
        sizes = sum(len(value) for value in data.values())
        snapshot = {"key_count": len(data), "total_size_bytes": sizes}
        assert checkpoint["data_snapshot"] == snapshot
        for name in "abc":
            # Of what one writer wrote in its order there is a beginning, no more.
            own = sum(key.startswith(f"{name}:") for key in data)
            last = data.get(f"{name}:last")
            done = own - (last is not None)
            assert all(f"{name}:{n}" in data for n in range(done))
            assert done - 2 <= int(last or -1) <= done - 1
    numbers = [one["number"] for one in checkpoints]
    assert numbers == sorted(numbers)
    for checkpoint in (checkpoints[0], checkpoints[-1]):
        assert made(store.restore(checkpoint))["verified"] is True
        assert len(store.values()) == checkpoint["key_count"]


def test_the_same_from_many_places_is_one_for_each(store: Store, api: Any) -> None:
    one, other = each(api, 2)

    def make(client: Store) -> Callable[[], Any]:
        return lambda: made(client.checkpoint("first"))["id"]

    found = at_once([make(client) for client in (one, one, one, other)])

    assert sorted(Counter(found).values()) == [1, 3]
    rows = Checkpoint.objects.order_by("ordinal")
    assert list(rows.values_list("ordinal", flat=True)) == [1, 2]


def test_two_restores_are_done_one_after_the_other(store: Store, api: Any) -> None:
    made(store.write("a", "1"))
    first = made(store.checkpoint("first"))
    made(store.write("b", "2"))
    second = made(store.checkpoint("second"))
    made(store.write("a", "3"))
    one, other = each(api, 2)

    outcomes = at_once(
        [
            lambda: made(one.restore(first)),
            lambda: made(other.restore(second)),
        ]
    )

    last = max(outcomes, key=lambda restored: restored["number"])
    wanted = (
        {"a": "1"}
        if last["restored_from"] == first["id"]
        else {
            "a": "1",
            "b": "2",
        }
    )
    assert store.values() == wanted
    assert sorted(one["number"] for one in outcomes) == [4, 5]
    assert all(one["verified"] for one in outcomes)


def test_of_two_that_saw_the_same_head_one_is_restored(store: Store, api: Any) -> None:
    made(store.write("a", "1"))
    checkpoint = made(store.checkpoint("first"))
    head = made(store.write("a", "2"))["number"]

    def restore(client: Store) -> Callable[[], Any]:
        return lambda: client.restore(checkpoint, expected_version=head).status

    found = at_once([restore(client) for client in each(api, 3)])

    assert sorted(found) == [200, 409, 409]


def test_a_write_comes_before_a_restore_or_after_it(store: Store, api: Any) -> None:
    made(store.write("a", "1"))
    checkpoint = made(store.checkpoint("first"))
    made(store.write("a", "2"))
    one, other = each(api, 2)

    outcomes = at_once(
        [lambda: made(one.restore(checkpoint)), lambda: made(other.write("b"))]
    )

    (restored,) = [found for found in outcomes if "restored_from" in found]
    (written,) = [found for found in outcomes if "allowed" in found]
    is_later = written["number"] > restored["number"]
    assert store.values() == ({"a": "1", "b": "v"} if is_later else {"a": "1"})
    assert restored["data_keys_removed"] == (0 if is_later else 1)
    assert restored["verified"] is True


def test_a_config_comes_before_a_restore_or_after_it(store: Store, api: Any) -> None:
    made(store.configure({"n": 1}))
    checkpoint = made(store.checkpoint("first"))
    made(store.configure({"n": 2}))
    one, other = each(api, 2)

    outcomes = at_once(
        [
            lambda: made(one.restore(checkpoint)),
            lambda: made(other.configure({"n": 3})),
        ]
    )

    (restored,) = [found for found in outcomes if "restored_from" in found]
    (configured,) = [found for found in outcomes if "config" in found]
    is_later = configured["number"] > restored["number"]
    assert made(store.config())["config"] == ({"n": 3} if is_later else {"n": 1})
    assert restored["config_version"] == ("v3" if is_later else "v4")
    assert restored["verified"] is True


@pytest.mark.parametrize("verb", ["restore", "checkpoint"])
def test_a_suspension_comes_before_it_or_after_it(
    store: Store, api: Any, verb: str
) -> None:
    made(store.write("a", "1"))
    checkpoint = made(store.checkpoint("first"))
    made(store.write("a", "2"))
    one, other = each(api, 2)

    def act() -> Answer:
        if verb == "restore":
            return one.restore(checkpoint)
        return one.checkpoint("second")

    def suspend() -> None:
        made(other.client.post(f"{other.path}/suspend"))

    (answer,) = [found for found in at_once([act, suspend]) if found is not None]

    total = made(store.client.get(store.checkpoints))["total"]
    if answer.status == 200:
        done = store.values() == {"a": "1"} if verb == "restore" else total == 2
    else:
        assert (answer.status, answer.code) == (403, "agent_suspended")
        done = store.values() == {"a": "2"} if verb == "restore" else total == 1
    assert done
