"""Two large states with little or nothing in common: what is cut says so.

A comparison reads both states and then has a budget: what is too different for it is
told as replaced. So its answer is bounded by the two states and never by how many ways
there are from one to the other.
"""

from collections.abc import Callable
from typing import Any

import jsonpatch
import orjson
import pytest

from apps.diffs.compare import BUDGET, POINTER_BUDGET, compare
from apps.diffs.display import display
from apps.diffs.lists import LONGEST_WINDOW
from apps.diffs.patch import to_patch
from apps.diffs.summary import summary
from apps.diffs.touched import LIMIT, touched
from apps.timeline.api.comparisons import MAX_CHANGES
from tests.timeline.runs import Begin, Run

State = dict[str, Any]
Make = Callable[[str, int], State]
# What a change says beside its values: names, braces, a pointer.
PER_CHANGE = 200
SUMMARY = 1_000
TOO_DIFFERENT = "too different to show in detail"


def wide(name: str, size: int) -> State:
    """One object with very many keys of its own."""
    return {"kept": 1, "wide": {f"{name}{n}": n for n in range(size)}}


def rewritten(name: str, size: int) -> State:
    """The same keys, each with another value."""
    return {"kept": 1, "rows": {str(n): f"{name} {n}" for n in range(size)}}


def listed(name: str, size: int) -> State:
    """A list without identity keys in which no item is equal to one of the other."""
    return {"kept": 1, "items": [{"say": f"{name} {n}"} for n in range(size)]}


def keyed(name: str, size: int) -> State:
    """A list whose items have identity keys, none of them shared."""
    return {"kept": 1, "items": [{"id": f"{name}{n}", "n": n} for n in range(size)]}


def deep(name: str, size: int) -> State:
    """Objects in objects, so that each difference has a long way to it."""
    inner: State = {f"{name}{n}": n for n in range(size)}
    for step in range(100):
        inner = {f"step-{step}-{'x' * 100}": inner}
    return {"kept": 1, "deep": inner}


MAKES: list[Make] = [wide, rewritten, listed, keyed, deep]


@pytest.mark.parametrize("compared", [compare, display])
@pytest.mark.parametrize("make", MAKES)
def test_what_is_too_different_is_told_as_replaced(
    make: Make, compared: Callable[..., Any]
) -> None:
    before, after = make("old", 30_000), make("new", 30_000)

    found = compared(before, after)

    assert found.truncated
    assert len(found) <= BUDGET + 1
    assert sum(len(change.pointer) for change in found) <= POINTER_BUDGET
    assert [p for p in found.coarse if not p.startswith("/kept")] == list(found.coarse)
    assert TOO_DIFFERENT in summary(found)
    assert len(summary(found)) < SUMMARY
    assert jsonpatch.apply_patch(before, to_patch(found)) == after


@pytest.mark.parametrize("make", MAKES)
def test_an_append_records_a_bounded_part_and_says_so(make: Make) -> None:
    found = touched(compare(make("old", 30_000), make("new", 30_000)))

    assert found.truncated
    assert len(found.rows) <= LIMIT


@pytest.mark.parametrize("compared", [compare, display])
def test_a_long_list_shifted_by_one_is_one_change(compared: Any) -> None:
    before = {"numbers": list(range(100_000))}
    after = {"numbers": [-1, *range(100_000)]}

    found = compared(before, after)

    assert [(change.pointer, change.kind) for change in found] == [
        ("/numbers/0", "added")
    ]
    assert not found.truncated


def test_a_long_list_rotated_by_one_is_replaced_and_says_so() -> None:
    """Neither end is equal, and more is left than is aligned."""
    size = LONGEST_WINDOW
    before, after = {"n": [*range(size)]}, {"n": [*range(1, size), 0]}

    found = compare(before, after)

    assert found.coarse == ("/n",)
    assert jsonpatch.apply_patch(before, to_patch(found)) == after


def large(name: str) -> State:
    """About 8 MB, of every kind, with nothing of the other in it."""
    return {
        "kept": 1,
        "wide": wide(name, 50_000)["wide"],
        "items": listed(name, 50_000)["items"],
        "rows": rewritten(name, 50_000)["rows"],
        "text": name * 1_000_000,
    }


@pytest.fixture
def run(begin: Begin) -> Run:
    run = begin(large("old"))
    run.put(large("new"))
    return run


@pytest.mark.django_db
def test_the_api_cuts_the_list_and_announces_it(run: Run) -> None:
    sizes = sum(len(orjson.dumps(large(name))) for name in ("old", "new"))

    answer = run.client.get(run.path("changes"), {"from": 0})

    body = answer.body
    assert body["truncated"] is True
    assert len(body["changes"]) == min(body["change_count"], MAX_CHANGES)
    assert TOO_DIFFERENT in body["summary"]
    assert len(body["summary"]) < SUMMARY
    assert len(answer.content) <= sizes + MAX_CHANGES * PER_CHANGE
    shown = {change["pointer"].split("/")[1] for change in body["changes"]}
    assert shown == {"wide", "items", "rows", "text"}


@pytest.mark.django_db
def test_the_version_says_how_much_of_it_is_told(run: Run) -> None:
    listed_versions = run.client.get(run.path("versions"))
    version = listed_versions.body["data"][0]

    assert 0 < version["change_count"] <= BUDGET + 1
    assert version["changes_truncated"] is True
    assert len(listed_versions.content) < 64_000
    assert last_setter(run, "/kept") == 0
    assert last_setter(run, "/text") == 1


def last_setter(run: Run, pointer: str) -> int:
    """Return the version that set a value last, whatever one answer has time for."""
    page = run.get("blame", pointer=pointer)
    while not page["data"] and page["has_more"]:
        page = run.get("blame", pointer=pointer, starting_after=page["next"])
    version: int = page["data"][0]["version"]
    return version
