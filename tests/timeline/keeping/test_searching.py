"""A search finds what is left, in bodies where rows are gone, and says so."""

from typing import Any

import pytest

from tests.timeline import runs
from tests.timeline.keeping.gaps import WORD, with_gaps

pytestmark = pytest.mark.django_db
SAID = "older versions of 1 sessions were thinned, emptied or removed"


@pytest.fixture
def gaps(begin: runs.Begin) -> runs.Run:
    return with_gaps(begin)


def found(run: runs.Run, q: str, kind: str = "versions") -> list[Any]:
    body = runs.succeeded(
        run.client.get("/v1/search", {"q": q, "kind": kind, "limit": 100})
    ).body
    return [one["version"] for one in body["data"]]


def notices(run: runs.Run, q: str) -> str:
    return str(runs.succeeded(run.client.get("/v1/search", {"q": q})).body["notices"])


def test_a_value_of_thinned_versions_is_found_in_what_they_hold(
    gaps: runs.Run,
) -> None:
    assert found(gaps, "ever:state.step=9") == [9]
    assert found(gaps, "ever:state.city=Rome") == [0]
    assert found(gaps, "ever:state.city=Bern") == [5]
    assert found(gaps, "changed:state.city") == [12, 5]


def test_a_bare_value_that_only_thinned_versions_set_is_found(gaps: runs.Run) -> None:
    assert found(gaps, WORD, "sessions") == [None]


def test_what_is_gone_is_not_found_and_the_answer_says_so(gaps: runs.Run) -> None:
    assert found(gaps, "ever:state.step=6") == []
    assert found(gaps, "ever:state.step=2") == []
    assert SAID in notices(gaps, "ever:state.step=6")
    assert SAID in notices(gaps, "words")


def test_a_search_of_sessions_themselves_says_nothing_of_it(gaps: runs.Run) -> None:
    assert SAID not in notices(gaps, "agent:travel")


def test_a_project_without_a_removal_is_told_nothing_of_one(run: runs.Run) -> None:
    assert "thinned" not in notices(run, "ever:state.step=1")


def test_what_is_gone_is_not_taken_for_damage(gaps: runs.Run) -> None:
    assert "cannot be read" not in notices(gaps, "changed:state.nothing")
