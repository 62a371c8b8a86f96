"""Sessions with gaps, taken out whole: what is left of them, and what is not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from apps.timeline.api.trajectories import pages, trajectory
from apps.timeline.models import Session
from tests.timeline import runs
from tests.timeline.keeping.gaps import with_gaps
from tests.timeline.runs import Begin

pytestmark = pytest.mark.django_db
LEFT = [0, *range(4, 14)]


@pytest.fixture
def gaps(begin: Begin) -> runs.Run:
    return with_gaps(begin)


def told(run: runs.Run, through: int) -> list[dict[str, Any]]:
    session = Session.objects.select_related("agent").get(id=run.id)
    return [json.loads(line) for line in trajectory(session, through)]


@pytest.mark.parametrize("at_once", [1, 2, 3, 100])
def test_it_ends_where_the_versions_end_whatever_is_missing(
    gaps: runs.Run, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(pages, "AT_ONCE", at_once)
    # Also through a version that is gone, and through one that there never was: a
    # session can lose its newest between two pages.
    for through in (0, 2, 3, 4, 7, 13, 14, 20):
        header, *lines, trailer = told(gaps, through)
        versions = [one["version"] for one in lines if one["type"] == "version"]
        assert versions == [number for number in LEFT if number <= through]
        turns = [one for one in lines if one["type"] == "turn"]
        assert [one["version"] for one in turns] == versions[1:]
        assert (trailer["versions"], trailer["turns"]) == (len(versions), len(turns))
        removed = header["session"]["removed"]
        ranges = [(one["first_version"], one["last_version"]) for one in removed]
        gone = ((1, 3), (6, 7))
        assert ranges == [(first, last) for first, last in gone if first <= through]
    emptied = [one for one in told(gaps, 13) if one.get("contents_erased")]
    assert [one["version"] for one in emptied if one["type"] == "version"] == [6, 7]
