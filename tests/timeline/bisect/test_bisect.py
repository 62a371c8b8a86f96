"""Bisect: which versions turned a check, over the API."""

from typing import Any

import pytest

from tests.timeline.runs import Begin, Run

pytestmark = pytest.mark.django_db

LOST = "NOT state.destination=null"


@pytest.fixture
def trip(begin: Begin) -> Run:
    """0 has a destination, 2 loses it, 4 finds it, 5 loses it again."""
    run = begin({"destination": "NYC", "step": 0})
    run.patch({"step": 1})
    run.patch({"destination": None}, reasoning="The tool failed.", release="1.8.1")
    run.patch({"step": 3})
    run.patch({"destination": "LAX"})
    run.patch({"destination": None})
    run.patch({"step": 6})
    return run


def bisect(run: Run, check: Any = LOST, **fields: Any) -> dict[str, Any]:
    return dict(run.post("bisect", {"check": check, **fields}))


def flips(found: dict[str, Any]) -> list[tuple[int, bool | None]]:
    return [(one["version"], one["holds"]) for one in found["data"]]


def test_every_flip_is_told_the_newest_first(trip: Run) -> None:
    found = bisect(trip)

    assert flips(found) == [(5, False), (4, True), (2, False)]
    assert found["first_bad"]["version"] == 2
    assert found["last_good"]["version"] == 4
    assert (found["exact"], found["has_more"]) == (True, False)


def test_only_versions_that_touched_the_place_are_looked_into(trip: Run) -> None:
    found = bisect(trip)

    assert [one["version"] for one in found["looked_at"]] == [0, 2, 4, 5]
    assert (found["looked_into"], found["candidates"]) == (4, 4)
    assert (found["versions"], found["untouched"]) == (7, 3)
