"""An endpoint for embeddings may be away, late or wrong: nothing of that is lost."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.meaning import embedding, nearest
from apps.meaning.embedding import EmbeddingFailed, TextsRefused
from apps.meaning.models import Failure, Vector
from apps.meaning.working import reconciling, sweeping
from tests.data.conftest import Store, made
from tests.meaning.conftest import embed_all, embedded, notice_all
from tests.meaning.serving import (
    DIMENSIONS,
    SECONDS,
    Body,
    Served,
    announce,
    hang,
    pour,
    redirect,
    row,
    rows,
    serving,
)


@pytest.fixture
def endpoint(settings: Any, monkeypatch: Any) -> Iterator[Served]:
    """An endpoint that the settings name; nobody waits long for it."""
    monkeypatch.setattr(nearest, "SECONDS", SECONDS)
    monkeypatch.setattr(reconciling, "SECONDS", SECONDS)
    with serving() as served:
        settings.EMBEDDINGS_URL = served.url
        settings.EMBEDDINGS_MODEL = "small"
        settings.EMBEDDINGS_KEY = "sk-very-secret"
        settings.EMBEDDINGS_DIMENSIONS = DIMENSIONS
        settings.EMBEDDINGS_PRIVATE = True
        yield served
    nearest.REST.end()


def one(vector: Any, index: Any = 0) -> Body:
    return {"data": [{"index": index, "embedding": vector}]}


GOOD = row("a")
WRONG: dict[str, tuple[Any, str]] = {
    "hangs": (hang, "No answer within"),
    "redirects": (redirect, "redirects are not followed"),
    "5 GB": (pour, "longer than 8,388,608 bytes"),
    "5 GB announced": (announce, "longer than 8,388,608 bytes"),
    "500": (500, "answered 500"),
    "401": (401, "answered 401"),
    "429": (429, "answered 429"),
    "204": (204, "answered 204"),
    "no JSON": (b"<html>", "no JSON"),
    "nothing": (b"", "no JSON"),
    "deep": (b"[" * 100_000, "no JSON"),
    "not UTF-8": (b'{"data": "\xff"}', "no JSON"),
    "no object": ([1], "no list of vectors"),
    "no list": ({"data": {}}, "no list of vectors"),
    "no vectors": ({"data": [1]}, "no list of vectors"),
    "none": ({"data": []}, "leaves texts out"),
    "another's": (one(GOOD, 1), "about other texts"),
    "before all": (one(GOOD, -1), "about other texts"),
    "no index": (one(GOOD, None), "about other texts"),
    "true": (one(GOOD, True), "about other texts"),
    "twice": ({"data": [*one(GOOD)["data"], *one(GOOD)["data"]]}, "about other texts"),
    "too few": (one(GOOD[1:]), "answered 7 numbers a text"),
    "too many": (one([*GOOD, 1.0]), "answered 9 numbers a text"),
    "no numbers": (one("AAAA"), "answered no numbers a text"),
    "texts": (one(["1"] * DIMENSIONS), "something else than numbers"),
    "lists": (one([[1.0]] * DIMENSIONS), "something else than numbers"),
    "bools": (one([True] * DIMENSIONS), "something else than numbers"),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_answer_that_is_none_says_why(endpoint: Served, name: str) -> None:
    given, why = WRONG[name]
    endpoint.answer = lambda asked: given

    with pytest.raises(EmbeddingFailed, match=why):
        embedding.current().embed(["a"], seconds=SECONDS * 5 if given is pour else 0.4)


@pytest.mark.parametrize(
    "vector",
    [
        None,
        [None] * DIMENSIONS,
        [float("nan")] * DIMENSIONS,
        [*GOOD[1:], float("inf")],
        [0] * DIMENSIONS,
        [1e308] * DIMENSIONS,
        [10**400] * DIMENSIONS,
    ],
    ids=str,
)
def test_numbers_without_a_direction_are_no_vector(
    endpoint: Served, vector: Any
) -> None:
    endpoint.answer = lambda asked: one(vector)

    (found,) = embedding.current().embed(["a"], seconds=5)

    assert [n for n in found if n == n] == []


def test_it_is_asked_as_endpoints_are(endpoint: Served) -> None:
    texts = [f"text {n}" for n in range(70)]

    found = embedding.current().embed(texts, seconds=5)

    assert [len(asked["input"]) for asked in endpoint.asked] == [64, 6]
    assert endpoint.asked[0]["model"] == "small"
    assert endpoint.headers[0]["path"] == "/v1/embeddings"
    assert endpoint.headers[0]["Authorization"] == "Bearer sk-very-secret"
    assert found.shape == (70, DIMENSIONS)
    assert embedding.current().name == embedding.name() == "small@8"


def test_a_private_address_is_not_called_unless_it_may_be(
    endpoint: Served, settings: Any
) -> None:
    settings.EMBEDDINGS_PRIVATE = False
    settings.EMBEDDINGS_URL = endpoint.url.replace("http:", "https:")

    with pytest.raises(EmbeddingFailed, match="private"):
        embedding.current().embed(["a"], seconds=5)

    assert endpoint.asked == []


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["hangs", "redirects", "500", "no JSON", "too few"])
def test_while_it_is_away_words_answer_and_it_is_caught_up_later(
    store: Store, endpoint: Served, name: str
) -> None:
    given, why = WRONG[name]
    endpoint.answer = lambda asked: given
    made(store.write("k", "apple"))
    assert embed_all() == 0

    away = made(store.search("apple"))
    asked = len(endpoint.asked)
    again = made(store.search("apple"))
    rested = sweeping.sweep(now=timezone.now())
    endpoint.answer = rows
    nearest.REST.end()
    caught_up = sweeping.sweep(now=timezone.now() + timedelta(minutes=6))
    back = made(store.search("another"))

    assert (away["method"], len(away["results"])) == ("words", 1)
    assert why in away["why"]
    # Nobody waits for it again, neither who asks nor the worker.
    assert (again["why"], rested) == (away["why"], 0)
    assert len(endpoint.asked) > asked >= 1
    assert caught_up == 1
    assert (back["method"], back["results"][0]["similarity"]) == ("meaning", 1.0)
    failure = Failure.objects.get()
    assert (failure.failures, failure.in_a_row, failure.retry_at) == (1, 0, None)


@pytest.mark.django_db
def test_a_text_that_has_no_vector_is_kept_without_and_tried_again(
    store: Store, endpoint: Served
) -> None:
    def but_bad(asked: Body) -> Any:
        if any("bad" in text for text in asked["input"]):
            return 400
        answer = rows(asked)
        for at, text in enumerate(asked["input"]):
            if text.startswith("odd"):
                answer["data"][at]["embedding"] = [float("nan")] * DIMENSIONS
        return answer

    endpoint.answer = but_bad
    texts = ["apple", "bad", "cherry", "odd", "date"]
    made(store.batch([{"key": str(n), "value": one} for n, one in enumerate(texts)]))

    assert embed_all() == 5
    assert sorted(embedded()) == ["0", "2", "4"]
    assert made(store.search("bad"))["method"] == "words"
    nearest.REST.end()
    assert made(store.search("odd one", method="words", threshold=0.1))["results"]
    found = made(store.search("cherry and odd", threshold=0.3))
    assert {one["value"] for one in found["results"]} == {"cherry", "odd"}

    endpoint.answer = rows
    assert sweeping.sweep(now=timezone.now()) == 0
    assert sweeping.sweep(now=timezone.now() + timedelta(hours=2)) == 2
    assert sorted(embedded()) == ["0", "1", "2", "3", "4"]
    assert not Vector.objects.filter(retry_at__isnull=False).exists()


def test_what_refuses_every_text_has_failed(endpoint: Served) -> None:
    endpoint.answer = lambda asked: 422

    with pytest.raises(TextsRefused):
        embedding.current().embed(["a"], seconds=5)
    with pytest.raises(EmbeddingFailed) as failed:
        reconciling.vectors_of(["a", "b"], embedding.current())

    assert not isinstance(failed.value, TextsRefused)
    assert len(endpoint.asked) == 3


@pytest.mark.django_db
def test_no_log_has_the_text_or_the_key(
    store: Store, endpoint: Served, capfd: Any
) -> None:
    endpoint.answer = lambda asked: 500
    made(store.write("k", "a planted secret"))
    notice_all()
    sweeping.sweep(now=timezone.now())

    told = made(store.search("planted"))

    logged = "".join(capfd.readouterr())
    assert "texts could not be embedded" in logged
    for secret in ("a planted secret", "sk-very-secret"):
        assert secret not in logged
        assert secret not in str(told["why"])
        assert secret not in Failure.objects.get().reason
