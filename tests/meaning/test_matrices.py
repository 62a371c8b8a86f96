"""The vectors of a document in one block, which grows by what the worker embeds."""

from __future__ import annotations

import os
from random import Random
from typing import Any

import numpy as np
import pytest

from apps.core import sql
from apps.meaning import embedding, matrices, progress
from apps.meaning.matrices import Cache, Matrix, matrix_of, nearest_places
from apps.meaning.models import Stream
from tests.data.conftest import Store, made
from tests.meaning.conftest import embed_all

pytestmark = pytest.mark.django_db
SEED = int(os.environ.get("STEPBACK_SEED", "13"))


@pytest.fixture(autouse=True)
def _nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrices, "CACHE", Cache())


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note which statements are run, whole loads and those of what is newer."""
    run: list[str] = []
    names = {matrices._LOAD: "whole", matrices._GROWN: "newer"}
    rows = sql.rows

    def noted(query: str, params: Any) -> list[Any]:
        run.extend([names[query]] if query in names else [])
        return rows(query, params)

    monkeypatch.setattr(matrices.sql, "rows", noted)
    return run


def document() -> str:
    return Stream.objects.get().stream_id


def asked(prefix: str = "") -> Matrix:
    return matrix_of(progress.position(document()), embedding.current(), prefix)


def told(matrix: Matrix) -> dict[str, tuple[int, bytes, float]]:
    rows = zip(
        matrix.items, matrix.numbers, matrix.data, matrix.scales.tolist(), strict=True
    )
    return {key: (number, data.tobytes(), scale) for key, number, data, scale in rows}


def test_what_is_added_is_read_and_nothing_else(store: Store, loads: list[str]) -> None:
    made(store.write("a", "Prefers dark mode"))
    embed_all()
    assert list(told(asked())) == ["a"]
    made(store.write("b", "Allergic to peanuts"))
    made(store.write("a", "The invoice was paid twice"))
    embed_all()

    grown = told(asked())

    assert loads == ["whole", "newer"]
    assert list(grown) == ["a", "b"]
    assert asked() is asked()
    matrices.CACHE = Cache()
    assert told(asked()) == grown


def test_where_something_went_all_is_read_again(store: Store, loads: list[str]) -> None:
    made(store.write("a", "Prefers dark mode"))
    made(store.write("b", "Allergic to peanuts"))
    embed_all()
    asked()
    made(store.delete("a"))
    made(store.write("c", "Likes long walks"))
    embed_all()

    assert list(told(asked())) == ["c", "b"]
    assert loads == ["whole", "newer", "whole"]


def test_whatever_changes_it_is_what_a_whole_load_gives(
    store: Store, loads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = Random(SEED)
    names = [f"{prefix}{n}" for prefix in "xy" for n in range(6)]
    made(store.write("x0", "Prefers dark mode"))
    for turn in range(40):
        for _ in range(chance.randint(1, 3)):
            key = chance.choice(names)
            if chance.random() < 0.2:
                store.delete(key)
            # Of white space alone a model has no vector.
            said = " " if chance.random() < 0.05 else f"fruit {chance.random()}"
            made(store.write(key, said))
        if chance.random() < 0.8:
            embed_all()
        for prefix in ("", "x"):
            kept = told(asked(prefix))
            with monkeypatch.context() as patch:
                patch.setattr(matrices, "CACHE", Cache())
                assert told(asked(prefix)) == kept, (SEED, turn)
    assert loads.count("newer") > 10


def test_without_rows_there_is_nothing_to_compare(store: Store) -> None:
    made(store.write("a", " "))
    embed_all()
    matrix = asked()
    assert (matrix.items, matrix.bare) == ([], ["a"])
    assert matrix.cosines(np.zeros(256, np.float32)).size == 0


@pytest.mark.parametrize("most", [1, 40, 299, 3_000, 5_000])
def test_the_nearest_are_those_of_all_in_order(most: int) -> None:
    # So few values that many are equally near.
    similar = np.random.default_rng(SEED).integers(0, 5, 3_000).astype(np.float32)
    places = np.arange(0, 3_000, 2)

    found = nearest_places(similar, places, most)

    in_order = sorted(places.tolist(), key=lambda at: -similar[at])
    assert found == in_order[:most]
