"""The versions `wait` and `decide` wherever versions are shown, found and verified."""

from typing import Any

import pytest

from apps.accounts.models import Role, User
from apps.timeline.verification import verify_session
from tests.accounts.make import make_member
from tests.approvals.make import asked, voted
from tests.timeline.damage import Place, damage
from tests.timeline.runs import Run, succeeded

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga(project: Any) -> User:
    return make_member(project, "olga", Role.OPERATOR)


@pytest.fixture
def decided(run: Run, project: Any, olga: User) -> Run:
    """Versions 3 and 4 wait and decide."""
    voted(project, olga, asked(run, depends_on=[])["id"])
    return run


def test_a_checkpointer_does_not_see_them(decided: Run) -> None:
    decided.patch({"step": 3}, external_id="cp-1")
    seen = decided.get("checkpoints")["data"]

    assert seen[0]["checkpoint_id"] == "cp-1"
    assert {"wait", "decide"}.isdisjoint(one.get("op") for one in seen)
    assert all(one["version"] not in (3, 4) for one in seen)


def test_its_saver_goes_on_over_them(run: Run, project: Any, olga: User) -> None:
    run.patch({"step": 3}, external_id="cp-1")
    write = {"index": 0, "channel": "city", "type": "json", "base64": "IkJvbm4i"}
    asked(run, depends_on=[])

    task = {"checkpoint_id": "cp-1", "task_id": "move", "writes": [write]}
    run.send("POST", "writes", task)
    run.patch({"step": 4}, external_id="cp-2")

    names = [one["checkpoint_id"] for one in run.get("checkpoints")["data"]]
    assert names[:2] == ["cp-2", "cp-1"]


@pytest.mark.parametrize("op", ["wait", "decide"])
def test_a_search_finds_them(decided: Run, op: str) -> None:
    answer = decided.client.get("/v1/search", {"q": f"op:{op}"})

    assert [one["session_id"] for one in succeeded(answer).body["data"]] == [decided.id]


def test_they_change_nothing_and_are_verified(decided: Run) -> None:
    changed = decided.client.get(decided.path("changes"), {"from": "2", "to": "4"})

    assert succeeded(changed).body["changes"] == []
    report = verify_session(decided.id)
    assert report.is_valid


@pytest.mark.parametrize("number", [3, 4])
def test_one_that_shows_another_state_is_found(decided: Run, number: int) -> None:
    damage(Place("timeline_version", decided.id, number, "body_number", None), 0)

    report = verify_session(decided.id)

    assert not report.is_valid
    assert report.first_broken is not None
    assert report.first_broken.number == number
