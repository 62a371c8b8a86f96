"""Agents' data is searched by meaning: what is found, and how far was looked."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from apps.meaning import fresh, nearest
from apps.meaning.embedding import choosing
from apps.meaning.working import sweeping
from apps.timeline import queries
from apps.timeline.models import KeyHead
from tests.data.conftest import Store, made
from tests.meaning.conftest import embed_all, embedded

pytestmark = pytest.mark.django_db


def keys(found: Any) -> list[str]:
    return [one["key"] for one in found["results"]]


def embed(*options: str) -> str:
    said = StringIO()
    call_command("embed", *options, stdout=said)
    return said.getvalue()


def test_a_value_is_found_by_its_meaning(store: Store) -> None:
    made(store.write("user:1:note", "The customer wants his money back"))
    made(store.write("user:2:note", "Likes long walks on the beach"))
    assert embed_all() == 2

    found = made(store.search("asks for a refund", min_similarity=0.3))

    assert keys(found)[0] == "user:1:note"
    assert (found["method"], found["pending"], found["stale"]) == ("meaning", 0, 0)
    assert (found["truncated"], found["why"]) == (False, None)
    assert keys(made(store.search("asks for a refund", method="words"))) == []


def test_what_was_just_written_is_found_before_the_worker_came(store: Store) -> None:
    made(store.write("a", "Prefers dark mode"))
    assert embed_all() == 1
    made(store.write("a", "The invoice was paid twice"))
    made(store.write("b", "Allergic to peanuts"))

    about_food = made(store.search("what must she not eat?", min_similarity=0.1))
    about_looks = made(store.search("dark mode"))

    assert keys(about_food)[0] == "b"
    assert (about_food["method"], about_food["pending"]) == ("meaning", 0)
    # What stood under the key before is nowhere any more.
    assert keys(about_looks) == []


def test_what_waits_is_embedded_once_by_a_process(
    store: Store, monkeypatch: Any
) -> None:
    embedder, asked = type(choosing.current()), []
    original = embedder.embed

    def noted(self: Any, texts: Any, *, seconds: float) -> Any:
        asked.append(len(texts))
        return original(self, texts, seconds=seconds)

    monkeypatch.setattr(embedder, "embed", noted)
    made(store.write("a", "Prefers dark mode"))
    made(store.write("b", " "))

    first = made(store.search("dark mode"))
    again = made(store.search("dark mode"))
    made(store.write("a", "Allergic to peanuts"))
    changed = made(store.search("dark mode", min_similarity=0.6))

    assert (keys(first), keys(again), keys(changed)) == (["a"], ["a"], [])
    assert first["results"][0]["similarity"] == again["results"][0]["similarity"]
    # The question, and what is new with it.
    assert asked == [2, 1, 2]


def test_of_what_is_remembered_the_least_used_is_forgotten(store: Store) -> None:
    remembered = fresh.Remembered(most=2)
    made(store.batch([{"key": key, "value": "v"} for key in "abc"]))
    document = KeyHead.objects.filter(key="a").get().session_id
    a, b, c = queries.entries_named(document, list("abc"), now=timezone.now())
    for row in (a, b):
        remembered.keep("model", row, None)
    assert remembered.of("model", [a]) == {"a": None}
    remembered.keep("model", c, None)

    assert remembered.of("model", [a, b, c]) == {"a": None, "c": None}
    assert remembered.of("another", [a, c]) == {}


def test_what_waits_in_numbers_is_searched_by_words(
    store: Store, monkeypatch: Any
) -> None:
    monkeypatch.setattr(nearest, "WAITING", 2)
    made(store.batch([{"key": f"k{n}", "value": f"fruit {n}"} for n in range(5)]))

    found = made(store.search("fruit", limit=10))

    assert (found["method"], found["pending"]) == ("meaning_and_words", 3)
    assert sorted(keys(found)) == ["k0", "k1", "k2", "k3", "k4"]


def test_a_number_in_a_value_is_found_as_such(store: Store) -> None:
    made(store.batch([{"key": f"o:{n}", "value": f"order {n}"} for n in range(80)]))
    embed_all()

    found = made(store.search("order 71"))

    assert keys(found)[0] == "o:71"
    assert found["results"][0]["similarity"] == 1.0


def test_only_keys_below_the_prefix_are_found(store: Store) -> None:
    made(store.write("a:1", "dark mode"))
    made(store.write("b:1", "dark mode"))
    embed_all()
    made(store.write("b:2", "dark mode"))

    assert keys(made(store.search("dark mode", prefix="b:"))) == ["b:1", "b:2"]


def test_no_vector_stays_of_what_is_gone(store: Store) -> None:
    made(store.batch([{"key": key, "value": "v"} for key in ("a", "b", "c:1", "c:2")]))
    before = made(store.checkpoint("as it was before"))
    embed_all()
    made(store.delete("a"))
    made(store.write("b", "another"))
    made(store.delete_prefix("c:"))
    embed_all()
    assert list(embedded()) == ["b"]

    made(store.restore(before))
    embed_all()

    assert sorted(embedded()) == ["a", "b", "c:1", "c:2"]


@pytest.mark.parametrize("value", ["", " ", "\n\t"])
def test_a_value_without_a_meaning_is_found_by_its_words(
    store: Store, value: str
) -> None:
    made(store.write("42", value))
    embed_all()

    found = made(store.search("42"))

    assert embedded() == {}
    assert (keys(found), found["method"]) == (["42"], "meaning")


def test_a_question_without_a_vector_is_answered_by_words(store: Store) -> None:
    made(store.write("a", "Prefers dark mode"))

    found = made(store.search("x" * 2_000))

    assert (keys(found), found["method"] in ("words", "meaning")) == ([], True)


def test_without_the_packages_words_answer_and_say_how_to_add_them(
    store: Store, monkeypatch: Any
) -> None:
    made(store.write("a", "Prefers dark mode"))
    monkeypatch.setattr(choosing, "missing", lambda: choosing.HOW_TO_ADD)
    monkeypatch.setattr(choosing, "_loaded", {})

    found = made(store.search("dark mode"))

    assert (keys(found), found["method"]) == (["a"], "words")
    assert "pip install" in found["why"]


def test_a_change_of_model_is_told_and_made_good_by_the_command(
    store: Store, monkeypatch: Any
) -> None:
    # As with an endpoint, where the worker embeds nothing anew by itself.
    monkeypatch.setattr(sweeping, "_renewed", lambda *_: 0)
    made(store.batch([{"key": f"k{n}", "value": f"fruit {n}"} for n in range(3)]))
    embed_all()
    other = type("Other", (type(choosing.current()),), {"name": "other"})()
    monkeypatch.setattr(choosing, "BUILT_IN", "other")
    monkeypatch.setattr(choosing, "_loaded", {choosing._wanted(): other})

    unread = made(store.search("fruit"))
    made(store.write("k9", "fruit 9"))
    embed_all()
    partly = made(store.search("fruit", limit=10))
    told, again = embed(), embed()
    after = made(store.search("fruit", limit=10))

    assert (unread["method"], unread["stale"]) == ("meaning_and_words", 3)
    assert (partly["method"], partly["stale"]) == ("meaning_and_words", 3)
    assert len(keys(unread)) == 3
    assert len(keys(partly)) == 4
    assert told == "3 texts embedded by other\n"
    assert again == "0 texts embedded by other\n"
    assert (after["method"], after["stale"], len(keys(after))) == ("meaning", 0, 4)
