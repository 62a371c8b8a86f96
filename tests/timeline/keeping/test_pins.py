"""Each reason for which a version stays, by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from apps.accounts.models import Project
from apps.core.actors import Actor, ActorKind
from apps.core.roles.names import Role
from apps.timeline import hooks
from apps.timeline import operations as timeline
from apps.timeline.models import Session
from apps.timeline.operations import keeping
from apps.timeline.verification import findings
from tests.acting import acting_as
from tests.acts import act_in
from tests.feeding import project_all
from tests.timeline import runs
from tests.timeline.keeping.taking import empty, prune

pytestmark = pytest.mark.django_db

AGENT = Actor(kind=ActorKind.KEY, id="key_1", label="sb_1")
PERSON = Actor(kind=ActorKind.USER, id="user_carla", label="carla")


@pytest.fixture
def long(begin: runs.Begin) -> runs.Run:
    """A session with versions 0 to 5, each built on the one before."""
    made = begin({"step": 0, "text": "something long enough to build on " * 20})
    for step in range(1, 6):
        made.patch({"step": step})
    return made


def _acting(run: runs.Run, actor: Actor = AGENT) -> dict[str, Any]:
    project_id = Session.objects.values_list("project_id", flat=True).get(id=run.id)
    act = act_in(Project.objects.get(id=project_id), actor)
    return {"act": act, "session_id": run.id}


def labelled(run: runs.Run) -> int:
    run.post("versions/3/labels", {"label": "good"})
    return 3


def noted(run: runs.Run) -> int:
    timeline.add_note(number=3, text="Look at this.", **_acting(run, PERSON))
    return 3


def forked(run: runs.Run) -> int:
    run.fork(version=3)
    return 3


def restored(run: runs.Run) -> int:
    run.rollback(3)
    run.patch({"step": 7})
    return 3


def waiting(run: runs.Run) -> int:
    run.patch({"escalated": True})
    run.patch({"step": 7})
    return 6


def held(run: runs.Run) -> int:
    run.hold("pause")
    run.rollback(2)
    return 6


def _begun(run: runs.Run) -> Any:
    mail = timeline.NewEffect(
        key="mail", tool="send_mail", arguments={}, number=run.head, call_id=None
    )
    return timeline.begin_effect(effect=mail, **_acting(run))


def unfinished(run: runs.Run) -> int:
    _begun(run)
    run.patch({"step": 7})
    return 5


def owed(run: runs.Run) -> int:
    """A mail that was sent on what a rollback has set aside."""
    begun = _begun(run)
    timeline.finish_effect(
        effect_id=begun.effect.id,
        attempt=1,
        finish=timeline.Finish(status="done"),
        **_acting(run),
    )
    run.patch({"step": 7})
    run.rollback(2)
    run.patch({"step": 8})
    return 5


def said_last(run: runs.Run) -> int:
    run.turn(state_after={"step": 7})
    run.patch({"step": 8})
    return 6


def rolled_back_last(run: runs.Run) -> int:
    run.rollback(-1)
    run.patch({"step": 8})
    return 6


def setting_aside(run: runs.Run) -> int:
    """A rollback that is not the newest, as long as one that it set aside is there."""
    run.post("versions/4/labels", {"label": "good"})
    run.rollback(2)
    run.patch({"step": 7})
    run.patch({"step": 8})
    run.rollback(7)
    return 6


def shown_by_the_head(run: runs.Run) -> int:
    run.hold("pause")
    run.hold("resume")
    return 5


PINNED: list[Callable[[runs.Run], int]] = [
    labelled,
    noted,
    forked,
    restored,
    waiting,
    held,
    unfinished,
    owed,
    said_last,
    rolled_back_last,
    setting_aside,
    shown_by_the_head,
]


@pytest.mark.parametrize("pin", PINNED, ids=lambda one: one.__name__)
def test_it_stays(long: runs.Run, pin: Callable[[runs.Run], int]) -> None:
    number = pin(long)
    before = long.get("versions", number)["state"]
    gone = prune(long, number, number)
    assert (gone.versions, list(gone.pinned)) == (0, [number])
    # Whatever goes around it.
    assert prune(long, 0, long.head).versions > 0
    assert long.get("versions", number)["state"] == before
    assert list(findings(long.id)) == []


def test_what_waits_to_be_projected_stays(long: runs.Run) -> None:
    project_all()
    long.patch({"step": 6})
    long.patch({"step": 7})
    with acting_as(Role.RETENTION):
        asked = {"session_id": long.id, "removal_id": "rem_1", "reason": "policy"}
        gone = keeping.prune_versions(first=5, last=6, **asked)
    assert (gone.versions, dict(gone.pinned)) == (1, {6: "unprojected"})


def test_what_apps_above_need_stays(long: runs.Run) -> None:
    hooks.PINS["test"] = lambda session_id: {3: "needed above"}
    try:
        assert dict(prune(long, 3, 3).pinned) == {3: "needed above"}
    finally:
        del hooks.PINS["test"]


def test_each_removal_counts_for_whoever_has_something_in_mind(long: runs.Run) -> None:
    empty(long, 0, 1)
    prune(long, 2, 3)
    assert Session.objects.get(id=long.id).erasures == 2
