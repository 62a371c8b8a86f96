"""States read in bulk for whoever goes through a history: what reading them says."""

from __future__ import annotations

from typing import Any

import pytest

from apps.timeline.bodies import cache
from apps.timeline.models import Body, Version
from apps.timeline.versions import Stream
from tests.acting import past_triggers
from tests.feeding import project_all
from tests.timeline.keeping.taking import empty, prune
from tests.timeline.runs import Begin, Run

pytestmark = pytest.mark.django_db
TEXT = "something long enough to build on " * 20


@pytest.fixture
def long(begin: Begin) -> Run:
    """Versions that build on each other, go back, go on, and change nothing."""
    run = begin({"step": 0, "text": TEXT})
    for step in range(1, 40):
        run.patch({"step": step})
    run.rollback(3)
    run.patch({"step": 41, "big": 2**70, "null": None})
    run.hold("pause")
    run.hold("resume")
    run.put({"text": TEXT[1:], "step": 44})
    project_all()
    return run


def streamed(run: Run, at_once: int, first: int = 0) -> dict[int, Any] | None:
    """Return the states by version, read so many at once."""
    stream, found = Stream(run.id), {}
    mine = Version.objects.filter(session_id=run.id, number__gte=first)
    rows = list(
        mine.order_by("number").values_list("number", "body_number", "commitment")
    )
    for start in range(0, len(rows), at_once):
        some = rows[start : start + at_once]
        read = stream.read({body: bytes(made) for _, body, made in some}, size=0)
        if read is None:
            return None
        found |= {number: read[body] for number, body, _ in some if body in read}
    return found


def read(run: Run, first: int = 0) -> dict[int, Any]:
    return {n: run.get("versions", n)["state"] for n in range(first, run.head + 1)}


@pytest.mark.parametrize("at_once", [1, 2, 7, 200])
@pytest.mark.parametrize("first", [0, 17, 40])
def test_it_says_what_reading_one_by_one_says(
    long: Run, at_once: int, first: int
) -> None:
    assert streamed(long, at_once, first) == read(long, first)


def test_it_leaves_the_cache_as_it_was(long: Run) -> None:
    cache.forget(long.id)
    before = cache.size

    assert streamed(long, 10)
    assert cache.size == before


def test_what_was_emptied_is_left_out_and_the_rest_is_there(long: Run) -> None:
    kept = read(long)
    empty(long, 5, 9)

    found = streamed(long, 8)

    assert found == {n: one for n, one in kept.items() if not 5 <= n <= 9}


def test_what_was_pruned_takes_nothing_else_with_it(long: Run) -> None:
    prune(long, 0, 20)

    assert streamed(long, 5, 21) == read(long, 21)


def test_another_body_than_was_committed_to_is_not_taken(begin: Begin) -> None:
    run = begin({"n": 0})
    run.patch({"n": 1})
    assert streamed(run, 2) == {0: {"n": 0}, 1: {"n": 1}}
    one, other = Body.objects.filter(session_id=run.id).order_by("number")
    with past_triggers():
        Body.objects.filter(session_id=run.id, number=other.number).update(
            data=one.data, size=one.size, codec=one.codec, base_number=None, depth=0
        )

    assert streamed(run, 2) is None
