"""Every flip is found and none invented: bisect against reading every version."""

import os
import random
from itertools import pairwise
from typing import Any

import pytest

from apps.timeline.search import states
from tests.timeline.bisect.asking import bisect
from tests.timeline.bisect.histories import (
    CHECKS,
    Step,
    passed,
    random_run,
    scanned,
    turned,
)
from tests.timeline.runs import Begin, Run

pytestmark = pytest.mark.django_db

# So many histories in all, each asked with all checks. By hand: BISECT_HISTORIES=2000.
HISTORIES = int(os.environ.get("BISECT_HISTORIES", "108"))
SEED = int(os.environ.get("STEPBACK_SEED", "13"))


def told(found: dict[str, Any]) -> list[tuple[str, int, str]]:
    return [
        (one["session_id"], one["version"], one["outcome"]) for one in found["data"]
    ]


def all_pages(run: Run, check: str, **asked: Any) -> list[tuple[str, int, str]]:
    """Go on from page to page; what was found in an overview comes again."""
    found = bisect(run, check, **asked)
    pages = [] if found["covered"] is None else told(found)
    while found["has_more"]:
        found = bisect(run, check, **asked, starting_after=found["next"])
        pages += told(found)
    return pages


@pytest.mark.parametrize("part", range(6))
@pytest.mark.parametrize("lineage", ["live", "all"])
def test_every_flip_is_found_and_none_is_invented(
    begin: Begin, part: int, lineage: str
) -> None:
    draw = random.Random(f"{SEED} {part} {lineage}")
    n_flips = n_looked = n_steps = 0
    for _ in range(HISTORIES // 12):
        run = random_run(draw, begin)
        steps = passed(run, is_live=lineage == "live")
        for check in CHECKS:
            outcomes = scanned(steps, check)
            expected = turned(steps, outcomes)

            found = bisect(run, check, lineage=lineage, order="oldest")

            assert told(found) == expected, (run.id, check)
            assert found["exact"], check
            assert found["versions"] == len(steps)
            _agrees_at_the_ends(found, steps, [one.value for one in outcomes])
            n_flips += len(expected)
            n_looked += found["candidates"]
            n_steps += len(steps)
    assert n_flips > 20
    assert n_looked < 0.8 * n_steps


def _agrees_at_the_ends(
    found: dict[str, Any], steps: list[Step], outcomes: list[str]
) -> None:
    """Compare what is told of the first, the last, the first bad, the last good."""
    assert [found[one]["outcome"] for one in ("first", "last")] == [
        outcomes[0],
        outcomes[-1],
    ]
    bad = [one for one, said in enumerate(outcomes) if said != "holds"]
    good = [one for one, said in enumerate(outcomes) if said == "holds"]
    for name, places in (("first_bad", bad[:1]), ("last_good", good[-1:])):
        expected = [(steps[one].session_id, steps[one].number) for one in places]
        end = found[name]
        assert expected == ([(end["session_id"], end["version"])] if end else [])
    after = {(one["session_id"], one["version"]): one["after"] for one in found["data"]}
    for was, one in pairwise(steps):
        known = after.get((one.session_id, one.number))
        assert known in (
            None,
            {"session_id": was.session_id, "version": was.number},
        )


@pytest.mark.parametrize("lineage", ["live", "all"])
def test_versions_that_are_too_many_to_be_listed_are_looked_into_as_any(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, lineage: str
) -> None:
    draw = random.Random(f"{SEED} listed {lineage}")
    monkeypatch.setattr("apps.timeline.bisect.candidates.MOST_LISTED", 3)
    for _ in range(4):
        run = random_run(draw, begin)
        steps = passed(run, is_live=lineage == "live")
        for check in CHECKS:
            found = bisect(run, check, lineage=lineage, order="oldest")

            assert told(found) == turned(steps, scanned(steps, check)), check
            assert found["exact"]


@pytest.mark.parametrize("order", ["newest", "oldest"])
@pytest.mark.parametrize("lineage", ["live", "all"])
def test_beyond_the_budget_nothing_is_invented_and_all_is_found_in_the_end(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, order: str, lineage: str
) -> None:
    draw = random.Random(f"{SEED} {order} {lineage}")
    monkeypatch.setattr(states, "MOST_STATES", 7)
    monkeypatch.setattr("apps.timeline.bisect.looking.MOST_STATES", 7)
    n_inexact = 0
    # Some histories are so short that all of each is looked into.
    while n_inexact <= 5:
        run = random_run(draw, begin)
        steps = passed(run, is_live=lineage == "live")
        for check in CHECKS:
            expected = turned(steps, scanned(steps, check))
            if order == "newest":
                expected.reverse()

            found = bisect(run, check, lineage=lineage, order=order)
            asked = {"lineage": lineage, "order": order, "limit": draw.choice([1, 50])}

            assert set(told(found)) <= set(expected), check
            assert found["looked_into"] <= 8
            assert found["exact"] or found["has_more"]
            assert all_pages(run, check, **asked) == expected, check
            n_inexact += not found["exact"]
