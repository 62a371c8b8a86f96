"""How well memories are found by other words, and that near ones are never merged.

The texts were committed before anything was measured (`tests/memory/quality`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from apps.meaning.embedding import EmbeddingFailed
from apps.memory.models import Memory
from apps.memory.operations import searching
from tests.meaning.conftest import embed_all, notice_all
from tests.memory.conftest import Mind

pytestmark = pytest.mark.django_db
TEXTS = Path(__file__).parent / "quality"
# What each model reaches of the wanted 0.9: docs/memories.md.
REACHED = {"wordllama": 0.67, "sentences": 0.9}
_CHOICE = re.compile(r"\{(.*)\|(.*)\}")


def lines(name: str) -> Iterator[str]:
    for line in (TEXTS / name).read_text().splitlines():
        if line and not line.startswith("#"):
            yield line


def paraphrases() -> list[tuple[str, str]]:
    """Return memories, each with other words for it."""
    pairs = [line.split(" | ") for line in lines("paraphrases.txt")]
    return [(text, other) for text, other in pairs]


def near_misses() -> list[tuple[str, str]]:
    """Return memories, each with one that differs in a token."""
    return [
        (" ".join(_CHOICE.sub(r"\1", one).split()), _CHOICE.sub(r"\2", one))
        for one in lines("near_misses.txt")
    ]


def shares(mind: Mind) -> tuple[float, float]:
    """Return how many paraphrases have their memory first, and among three."""
    ranks = [
        [*mind.found(other, user_id="ada", threshold=0, limit=3), text].index(text)
        for text, other in paraphrases()
    ]
    return share(ranks, 1), share(ranks, 3)


def share(ranks: list[int], most: int) -> float:
    return sum(rank < most for rank in ranks) / len(ranks)


@pytest.mark.parametrize("model", REACHED)
def test_memories_are_found_by_other_words(
    mind: Mind,
    model: str,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings.EMBEDDINGS_SENTENCES = model == "sentences"
    for text, _ in paraphrases():
        mind.add(text, user_id="ada")
    notice_all()
    embed_all()

    first, among_three = shares(mind)

    def fail(*args: Any, **named: Any) -> Any:
        raise EmbeddingFailed("There is no model.")

    monkeypatch.setattr(searching, "nearest", fail)
    worded = shares(mind)
    with capsys.disabled():
        print(  # noqa: T201 - it is what is asked for
            f"\n{model}: of {len(paraphrases())} paraphrases {first:.1%} have their"
            f" memory first, {among_three:.1%} among three;"
            f" by words alone {worded[0]:.1%} and {worded[1]:.1%}"
        )
    assert len(paraphrases()) == 200
    assert among_three >= REACHED[model]
    assert among_three > 10 * worded[1]


def test_near_misses_are_memories_of_their_own(
    mind: Mind, capsys: pytest.CaptureFixture[str]
) -> None:
    session = mind.session(user="ada")
    pairs = near_misses()
    made = [mind.add(text, user_id="ada") for text, _ in pairs]
    notice_all()
    embed_all()

    near = [mind.add(other, user_id="ada") for _, other in pairs]

    assert len(pairs) == 200
    assert len({one["id"] for one in (*made, *near)}) == 400
    assert {one["reinforced"] for one in near} == {0}
    kept = Memory.objects.filter(owner="ada")
    assert (kept.count(), kept.exclude(reinforced=0).count()) == (400, 0)
    again = [
        mind.add(f" {text.upper()}", session_id=session, scope="user")
        for text, _ in pairs
    ]
    assert [one["id"] for one in again] == [one["id"] for one in made]
    assert {one["reinforced"] for one in again} == {1}
    flagged = sum(
        one["id"] in [told["id"] for told in other["near"]]
        for one, other in zip(made, near, strict=True)
    )
    with capsys.disabled():
        print(f"\nof 200 near-misses {flagged} are flagged")  # noqa: T201
    assert flagged >= 150
