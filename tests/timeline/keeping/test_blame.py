"""Blame looks into bodies where rows were thinned, and ends at what is gone."""

from typing import Any

import pytest

from apps.core.roles.names import Role
from apps.timeline.operations import keeping
from tests.acting import acting_as
from tests.feeding import project_all
from tests.timeline import runs
from tests.timeline.keeping.gaps import take, with_gaps

pytestmark = pytest.mark.django_db


@pytest.fixture
def gaps(begin: runs.Begin) -> runs.Run:
    return with_gaps(begin)


def setters(found: Any) -> list[int]:
    return [one["version"] for one in found["data"]]


def thin(run: runs.Run, below: int) -> None:
    project_all()
    with acting_as(Role.RETENTION):
        keeping.thin_session(session_id=run.id, below=below)


def test_it_says_before_which_version_nothing_is_known(gaps: runs.Run) -> None:
    found = gaps.get("blame", pointer="/city", limit=10)
    assert setters(found) == [12]
    assert (found["has_more"], found["next"]) == (False, None)
    end = found["not_before"]
    assert (end["session_id"], end["version"]) == (gaps.id, 8)
    assert end["code"] == "contents_erased"
    assert end["tombstone"]["first_version"] == 6
    assert end["tombstone"]["last_version"] == 7


def test_a_value_that_stood_above_a_pruned_range_is_not_blamed_on_it(
    gaps: runs.Run,
) -> None:
    found = gaps.get("blame", pointer="/kept", version=5)
    assert setters(found) == []
    end = found["not_before"]
    assert (end["version"], end["code"]) == (4, "version_pruned")
    assert end["tombstone"]["last_version"] == 3


def test_what_was_thinned_is_found_in_bodies(begin: runs.Begin) -> None:
    run = begin({"a": 0, "b": 0, "kept": 1})
    for step in range(1, 30):
        run.patch({"b": step} if step % 10 else {"a": step})
    before = run.get("blame", pointer="/a", limit=10)
    thin(run, 28)
    after = run.get("blame", pointer="/a", limit=10)
    assert setters(after) == setters(before) == [20, 10, 0]
    assert after["not_before"] is None
    assert setters(run.get("blame", pointer="/kept")) == [0]


def test_an_absent_key_is_not_said_to_have_never_been(gaps: runs.Run) -> None:
    found = gaps.get("blame", pointer="/never")
    assert setters(found) == []
    assert "value" not in found
    assert found["not_before"]["version"] == 8


def test_a_thinned_session_still_knows_that_a_key_never_was(begin: runs.Begin) -> None:
    run = begin({"a": 0})
    for step in range(1, 5):
        run.patch({"a": step})
    thin(run, 4)
    answer = run.client.get(run.path("blame"), {"pointer": "/never"})
    runs.assert_refused(answer, 404, "pointer_not_found")


def test_a_removed_key_is_found_below_thinned_rows(begin: runs.Begin) -> None:
    run = begin({"a": 0, "b": 1})
    run.put({"a": 0})
    run.put({"a": 1})
    run.put({"a": 2})
    thin(run, 3)
    found = run.get("blame", pointer="/b", limit=5)
    assert [(one["version"], one["kind"]) for one in found["data"]] == [
        (1, "removed"),
        (0, "added"),
    ]


def test_a_rollback_onto_what_was_erased_since_ends_there(begin: runs.Begin) -> None:
    run = begin({"a": 0})
    for step in range(1, 4):
        run.patch({"a": step})
    run.rollback(1)
    run.patch({"b": 1})
    take(keeping.empty_versions, run, first=0, last=1, erasing=True)
    end = run.get("blame", pointer="/a")["not_before"]
    assert (end["version"], end["code"]) == (4, "contents_erased")


def test_a_fork_whose_origin_was_pruned_says_so(begin: runs.Begin) -> None:
    run = begin({"a": 0})
    for step in range(1, 4):
        run.patch({"b": step})
    fork = run.fork(version=2)
    fork.patch({"c": 1})
    take(keeping.prune_versions, run, first=0, last=1)
    found = fork.get("blame", pointer="/a")
    end = found["not_before"]
    assert (end["session_id"], end["version"]) == (run.id, 2)
    assert end["gone_session_id"] == run.id
    take(keeping.prune_versions, run, first=2, last=2, erasing=True)
    end = fork.get("blame", pointer="/a")["not_before"]
    assert (end["session_id"], end["version"]) == (fork.id, 0)
    assert end["gone_session_id"] == run.id


def test_blame_at_a_version_that_is_gone_is_410(gaps: runs.Run) -> None:
    for number, code in ((2, "version_pruned"), (6, "contents_erased")):
        answer = gaps.client.get(
            gaps.path("blame"), {"pointer": "/city", "version": number}
        )
        runs.assert_refused(answer, 410, code)
