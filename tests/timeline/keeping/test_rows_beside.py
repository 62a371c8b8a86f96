"""What a removal took beside a history is accounted for, and nothing else is."""

from __future__ import annotations

from typing import Any

import pytest

from apps.accounts.models import Project
from apps.core.actors import Actor, ActorKind
from apps.timeline import operations as timeline
from apps.timeline.models import Session
from tests.acts import act_in
from tests.audit.rows.looking import found, run
from tests.timeline import runs
from tests.timeline.keeping.taking import prune, remove

pytestmark = pytest.mark.django_db

PERSON = Actor(kind=ActorKind.USER, id="user_carla", label="carla")
TABLES = ("label", "note", "review", "score", "summary")


@pytest.fixture
def judged(begin: runs.Begin) -> runs.Run:
    """A session with one of each row beside its history, which its people changed."""
    made = begin({"n": 0})
    made.turn(state_after={"n": 1})
    made.patch({"n": 2})
    on = {"act": act_in(of(made), PERSON), "session_id": made.id}
    timeline.label(number=1, name="good", **on)
    timeline.add_note(number=1, text="Look at this.", **on)
    timeline.review(outcome="fine", **on)
    timeline.score(name="quality", value=1.0, **on)
    timeline.add_summary(first_turn=1, last_turn=1, text="They met.", **on)
    timeline.update_metadata(metadata={"a": 1}, **on)
    return made


def of(run_: runs.Run) -> Project:
    return Project.objects.get(id=Session.objects.get(id=run_.id).project_id)


def test_what_went_with_its_session_is_accounted_for(judged: runs.Run) -> None:
    project = of(judged)
    assert found(project) == []
    remove(judged, erasing=True)
    assert found(project) == []
    assert found(project, session_id=judged.id) == []


def test_what_went_with_its_version_is_accounted_for(judged: runs.Run) -> None:
    prune(judged, 0, 1, erasing=True)
    judged.patch({"n": 3})
    prune(judged, 0, 2, erasing=True)
    assert found(of(judged)) == []


@pytest.mark.parametrize("table", TABLES)
def test_what_is_missing_beside_is_named_whatever_went(
    judged: runs.Run, table: str
) -> None:
    prune(judged, 0, 0)
    run(
        f"timeline_{table}",
        f"DELETE FROM timeline_{table} WHERE session_id = %s",
        judged.id,
    )
    (told,) = found(of(judged))
    assert "and it is missing" in told


@pytest.mark.parametrize("table", TABLES)
def test_a_removal_accounts_for_no_other_session(
    judged: runs.Run, begin: runs.Begin, table: str
) -> None:
    other: Any = begin({"n": 0})
    project = of(judged)
    remove(other, erasing=True)
    run(
        f"timeline_{table}",
        f"DELETE FROM timeline_{table} WHERE session_id = %s",
        judged.id,
    )
    (told,) = found(project)
    assert "and it is missing" in told
