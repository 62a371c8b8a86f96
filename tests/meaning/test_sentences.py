"""The model that reads sentences, which whoever runs the server chooses."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from apps.core.roles.names import Role
from apps.meaning import embedding
from apps.meaning.embedding import choosing
from tests.data.conftest import Store, made
from tests.live import ROOT, process_environment
from tests.meaning.conftest import embed_all
from tests.meaning.test_search import keys
from tests.meaning.test_worker import embed


def test_a_text_has_the_same_vector_in_any_company(settings: Any) -> None:
    settings.EMBEDDINGS = "sentences"
    texts = ["Is afraid of heights", "", " ", "long " * 400]
    model = embedding.current()

    rows = model.embed(texts, seconds=1)
    alone = model.embed(texts[:1], seconds=1)

    assert (model.name, rows.shape) == ("all-minilm-l6-v2-int8", (4, 384))
    assert np.array_equal(rows[0], alone[0])
    assert [bool(np.isnan(row).all()) for row in rows] == [False, True, True, False]
    assert np.allclose(np.linalg.norm(rows[[0, 3]], axis=1), 1)


@pytest.mark.django_db
def test_what_another_model_embedded_is_embedded_by_the_command(
    store: Store, settings: Any
) -> None:
    made(store.write("fear", "Is afraid of heights"))
    embed_all()
    settings.EMBEDDINGS = "sentences"

    unread = made(store.search("cliffs scare her"))
    told = embed()
    found = made(store.search("cliffs scare her", threshold=0))

    assert unread["stale"] == 1
    assert told == "1 texts embedded by all-minilm-l6-v2-int8\n"
    assert (keys(found), found["stale"]) == (["fear"], 0)
    assert found["method"] == "meaning"


@pytest.mark.django_db
def test_without_its_packages_words_answer_and_say_how_to_add_them(
    store: Store, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(store.write("a", "Prefers dark mode"))
    settings.EMBEDDINGS = "sentences"
    lacking = (*choosing.PACKAGES_FOR_SENTENCES, "not_installed_anywhere")
    monkeypatch.setattr(choosing, "PACKAGES_FOR_SENTENCES", lacking)
    monkeypatch.setattr(choosing, "_loaded", {})

    found = made(store.search("dark mode"))

    assert (keys(found), found["method"]) == (["a"], "words")
    assert found["why"] == choosing.HOW_TO_ADD_SENTENCES


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"STEPBACK_EMBEDDINGS": "best"}, "must be words or sentences"),
        (
            {
                "STEPBACK_EMBEDDINGS": "sentences",
                "STEPBACK_EMBEDDINGS_URL": "https://example.com/v1",
            },
            "set one of them",
        ),
    ],
)
def test_a_choice_that_is_none_stops_the_start(
    given: dict[str, str], said: str
) -> None:
    env = process_environment(Role.WEB, "postgres://nobody@127.0.0.1:1/none")

    done = subprocess.run(
        [sys.executable, "-c", "import config.settings"],
        cwd=ROOT,
        env={**env, **given},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode != 0
    assert said in done.stderr
