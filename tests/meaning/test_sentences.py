"""The model that reads sentences: memories are searched with it, if it is there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from apps.core.roles.names import Role
from apps.meaning import embedding, monitoring
from apps.meaning.embedding import Reading, choosing
from apps.meaning.models import Stream, Vector
from apps.meaning.working import renewing, sweeping
from tests.acting import acting_as
from tests.data.conftest import Store, made
from tests.meaning.conftest import embed_all, forget_vectors, notice_all
from tests.memory.conftest import Mind, done, mind

__all__ = ["mind"]
QUICK, SENTENCES = choosing.BUILT_IN, choosing.SENTENCES


@pytest.fixture(autouse=True)
def begun_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the worker walk all documents, as a new process does."""
    monkeypatch.setattr(sweeping, "RENEWING", renewing.Renewing())


def models_of_vectors() -> dict[str, str]:
    return dict(Vector.objects.values_list("item", "model"))


def vector_of(item: str) -> tuple[int, bytes, float] | None:
    found = Vector.objects.filter(item=item, data__isnull=False).first()
    return found and (found.number, bytes(found.data), found.scale)


def lack_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = (*choosing.PACKAGES_FOR_SENTENCES, "not_installed_anywhere")
    monkeypatch.setattr(choosing, "PACKAGES_FOR_SENTENCES", lacking)


def test_a_text_has_the_same_vector_in_any_company() -> None:
    texts = ["Is afraid of heights", "", " ", "long " * 400]
    model = embedding.current(Reading.SENTENCES)

    rows = model.embed(texts, seconds=1)
    alone = type(model)().embed(texts[:1], seconds=1)

    assert (model.name, rows.shape) == (SENTENCES, (4, 384))
    assert np.array_equal(rows[0], alone[0])
    assert [bool(np.isnan(row).all()) for row in rows] == [False, True, True, False]
    assert np.allclose(np.linalg.norm(rows[[0, 3]], axis=1), 1)


@pytest.mark.django_db
def test_memories_are_read_as_sentences_and_values_are_not(
    mind: Mind, store: Store
) -> None:
    memory = mind.add("Is afraid of heights", user_id="ada")["id"]
    made(store.write("fear", "Is afraid of heights"))
    notice_all()

    embed_all()

    assert models_of_vectors() == {memory: SENTENCES, "fear": QUICK}
    assert mind.found("cliffs scare her", user_id="ada", threshold=0.5) == [
        "Is afraid of heights"
    ]
    told = mind.search("cliffs scare her", user_id="ada")
    assert (told["pending"], told["stale"]) == (0, 0)


@pytest.mark.django_db
def test_a_memory_is_stored_with_the_vector_that_it_was_compared_by(
    mind: Mind,
) -> None:
    added = mind.add("Is afraid of heights", user_id="ada")
    stored = vector_of(added["id"])

    notice_all()
    done = embed_all()
    kept = vector_of(added["id"])
    unread = mind.add("Likes the sea", user_id="ada", embed=False)
    forget_vectors()
    with acting_as(Role.WORKER):
        Stream.objects.update(number=0, key="", due_at=timezone.now())
    embed_all()

    assert (added["vector_available"], unread["vector_available"]) == (True, False)
    assert done == 0
    assert stored == kept == vector_of(added["id"])
    assert vector_of(unread["id"]) is None


@pytest.mark.django_db
def test_what_the_quick_model_embedded_the_worker_embeds_anew(
    mind: Mind, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.EMBEDDINGS_SENTENCES = False
    kept = {mind.add(f"fact {n}", user_id="ada")["id"] for n in range(20)}
    embed_all()
    assert set(models_of_vectors().values()) == {QUICK}
    settings.EMBEDDINGS_SENTENCES = True

    unread = mind.search("fact 3", user_id="ada", threshold=0.9)
    # Some of it, then the process ends, and the next one begins anew.
    with acting_as(Role.WORKER):
        done = [sweeping.RENEWING.renew(now=timezone.now()) for _ in range(3)]
    halfway = mind.search("fact", user_id="ada")
    monkeypatch.setattr(sweeping, "RENEWING", renewing.Renewing())
    embed_all()
    after = mind.search("fact", user_id="ada", limit=50)

    assert unread["stale"] == 20
    assert "fact 3" in [one["content"] for one in unread["data"]]
    assert (done, halfway["stale"]) == ([0, 4, 4], 12)
    assert models_of_vectors() == dict.fromkeys(kept, SENTENCES)
    assert (after["stale"], len(after["data"])) == (0, 20)
    assert Stream.objects.get().stale_until == 0
    with acting_as(Role.WORKER):
        assert sweeping.RENEWING.renew(now=timezone.now()) is None


@pytest.mark.django_db
def test_a_sweep_of_nothing_loads_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "_loaded", {})

    with acting_as(Role.WORKER):
        assert sweeping.sweep(now=timezone.now()) == 0

    assert choosing._loaded == {}


@pytest.mark.django_db
def test_what_an_endpoint_embedded_is_not_sent_again_unasked(
    mind: Mind, settings: Any
) -> None:
    mind.add("Is afraid of heights", user_id="ada")
    embed_all()
    settings.EMBEDDINGS_URL = "http://127.0.0.1:9/v1"
    settings.EMBEDDINGS_MODEL, settings.EMBEDDINGS_DIMENSIONS = "none", 8

    with acting_as(Role.WORKER):
        assert sweeping.RENEWING.renew(now=timezone.now()) is None

    assert set(models_of_vectors().values()) == {SENTENCES}


@pytest.mark.django_db
def test_without_its_packages_the_quick_model_answers_and_says_how_to_add_them(
    mind: Mind, monkeypatch: pytest.MonkeyPatch
) -> None:
    lack_packages(monkeypatch)
    mind.add("Prefers dark mode", user_id="ada")

    embed_all()
    found = mind.search("likes a dark mode", user_id="ada")

    assert set(models_of_vectors().values()) == {QUICK}
    assert [one["content"] for one in found["data"]] == ["Prefers dark mode"]
    told = monitoring.report()
    assert told["model_of_memories"] == QUICK
    assert told["how"] == embedding.lacking() == choosing.HOW_TO_ADD_SENTENCES
    assert embedding.missing() is None


@pytest.mark.django_db
def test_a_question_embeds_few_of_what_waits_and_counts_the_rest(mind: Mind) -> None:
    items = [{"id": f"{n}", "memory": f"fact {n}", "user_id": "ada"} for n in range(30)]
    done(mind.client.post("/v1/memories/import", {"memories": items}))

    told = mind.search("fact", user_id="ada", limit=50)

    assert told["pending"] == 30 - 16
    assert len(told["data"]) == 30


def test_whoever_turns_it_off_has_one_model(settings: Any) -> None:
    settings.EMBEDDINGS_SENTENCES = False

    assert embedding.names() == [QUICK]
    assert embedding.lacking() is None
