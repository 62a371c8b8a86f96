"""What an endpoint for embeddings does to memories, and to agents' data: nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.utils import timezone

from apps.meaning import nearest
from apps.meaning.models import Failure, Stream
from apps.meaning.working import remaking, sweeping
from tests.data.conftest import Store, made
from tests.meaning.conftest import embed_all, embedded, store
from tests.meaning.serving import DIMENSIONS, Served, rows
from tests.meaning.test_endpoint import WRONG, endpoint
from tests.meaning.test_search import embed
from tests.memory.conftest import Mind, done

__all__ = ["endpoint", "store"]

pytestmark = pytest.mark.django_db
SWEEP = timedelta(seconds=2)
NAN = {"data": [{"index": 0, "embedding": [float("nan")] * DIMENSIONS}]}
BAD = {
    name: WRONG[name]
    for name in ("hangs", "redirects", "500", "no JSON", "too few", "too many")
} | {
    "5 GB": WRONG["5 GB announced"],
    "5 GB, unannounced": WRONG["5 GB"],
    "NaN": (NAN, "no vector"),
}


def has_vector(mind: Mind, memory_id: str) -> bool:
    return bool(done(mind.read(memory_id))["vector_available"])


@pytest.mark.parametrize("name", BAD)
def test_a_memory_is_stored_whatever_the_endpoint_answers(
    mind: Mind, endpoint: Served, name: str
) -> None:
    given, why = BAD[name]
    endpoint.answer = lambda asked: given

    kept = mind.add("apple pie", user_id="ada")
    assert (kept["vector_available"], kept["near"]) == (False, [])
    embed_all()
    nearest.REST.end()
    away = mind.search("apple pie", user_id="ada")

    assert [one["id"] for one in away["data"]] == [kept["id"]]
    assert away["method"] == "words"
    assert why in away["why"]
    assert not has_vector(mind, kept["id"])

    endpoint.answer = rows
    nearest.REST.end()
    assert sweeping.sweep(now=timezone.now() + timedelta(hours=2)) == 1
    assert has_vector(mind, kept["id"])
    found = mind.search("apples", user_id="ada")
    assert (found["method"], found["data"][0]["score"]) == ("meaning_and_words", 1.0)


def remembered(mind: Mind, store: Store, number: int) -> str:
    kept = mind.add(f"fact {number}", user_id="ada")
    assert kept["vector_available"] is False
    return str(kept["id"])


def written(mind: Mind, store: Store, number: int) -> str:
    made(store.write(f"k{number}", f"fruit {number}"))
    return f"k{number}"


@pytest.mark.parametrize("write", [remembered, written])
def test_away_for_an_hour_it_is_asked_ever_more_seldom_and_then_caught_up(
    mind: Mind,
    store: Store,
    endpoint: Served,
    write: Callable[[Mind, Store, int], str],
) -> None:
    endpoint.answer = lambda asked: 503
    began = timezone.now()
    asked_at: list[datetime] = []
    keys = set()

    for number in range(1_800):
        now = began + number * SWEEP
        if number % 150 == 0:  # every five minutes
            keys.add(write(mind, store, number))
        assert sweeping.sweep(now=now) == 0
        failures = Failure.objects.get().failures
        asked_at += [now] * (failures - len(asked_at))

    pauses = [(b - a).total_seconds() for a, b in pairwise(asked_at)]
    assert len(keys) == 12
    assert pauses[0] < 10
    assert pauses == sorted(pauses)
    assert 290 <= pauses[-1] <= 310
    assert len(asked_at) < 25
    assert embedded() == {}

    endpoint.answer = rows
    nearest.REST.end()
    done_ = [
        sweeping.sweep(now=began + timedelta(hours=1) + number * SWEEP)
        for number in range(160)
    ]

    assert sum(done_) == len(keys)
    assert set(embedded()) == keys
    assert not Stream.objects.filter(due_at__isnull=False).exists()
    assert Failure.objects.get().retry_at is None
    if write is remembered:
        assert all(has_vector(mind, key) for key in keys)


class Killed(BaseException):
    """What no code of ours catches."""


def test_after_a_change_of_model_a_search_says_what_is_stale_until_all_is_embedded(
    mind: Mind, endpoint: Served, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = {mind.add(f"fact {n}", user_id="ada")["id"] for n in range(10)}
    assert embed_all() == 10
    assert mind.search("fact", user_id="ada")["stale"] == 0

    settings.EMBEDDINGS_MODEL = "large"
    told = mind.search("fact 3", user_id="ada", threshold=0.9)
    # What has no vector of this model is found by its words.
    assert told["stale"] == 10
    assert "fact 3" in [one["content"] for one in told["data"]]
    monkeypatch.setattr(remaking, "AT_ONCE", 4)
    reconcile = remaking.reconcile
    rounds = 0

    def once(*args: Any, **named: Any) -> Any:
        nonlocal rounds
        rounds += 1
        if rounds > 1:
            raise Killed
        return reconcile(*args, **named)

    with monkeypatch.context() as patch:
        patch.setattr(remaking, "reconcile", once)
        with pytest.raises(Killed):
            embed()

    told = mind.search("fact", user_id="ada")
    assert told["stale"] == 6
    assert sum(has_vector(mind, one) for one in kept) == 4

    assert embed().startswith("6 texts embedded")

    told = mind.search("fact", user_id="ada", limit=50)
    assert (told["stale"], told["pending"]) == (0, 0)
    assert {one["id"] for one in told["data"]} == kept
    assert all(has_vector(mind, one) for one in kept)
