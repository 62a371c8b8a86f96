"""Every order of an erasure against a merge that takes from what is erased.

A promotion reads the fork, a reapply what a rollback set aside; while it does, the fork
or the session itself is erased. What comes of each order is what comes of one of the
two done after the other: nothing that was erased comes back, and nothing is half done.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from apps.agents.acts import Act
from apps.core.ids import new_id
from apps.core.roles.names import Role
from apps.timeline import operations as timeline
from apps.timeline.ledger.drafts import Expected
from apps.timeline.models import Body, Change, Session, Version
from apps.timeline.operations import keeping
from apps.timeline.queries import Promote, Reapply, Restore
from apps.timeline.versions.reading import Step
from tests.acting import acting_as
from tests.acts import act_in
from tests.feeding import project_all
from tests.races.interleavings import stage as stages
from tests.races.interleavings.conftest import made_doors
from tests.races.interleavings.pairs import AGENT, PERSON, Verb
from tests.races.interleavings.stage import Stage, stop_writers
from tests.races.interleavings.test_keeping import STEPS, Removals, judge

pytestmark = pytest.mark.django_db

# 0 to 4 as every removal's, then a rollback that sets 2 to 4 aside.
HEAD = 5


class Merging(Removals):
    """A session with a fork that was put right, and with versions set aside."""

    def session(self) -> str:
        session_id = super().session()
        on = act_in(self.project, AGENT)
        about = timeline.About()
        origin = timeline.Origin(session_id=session_id, number=1)
        fork = timeline.fork(act=on, origin=origin, about=about, step=Step())
        timeline.update(
            act=on, session_id=fork.session_id, patch={"fixed": "yes"}, step=Step()
        )
        timeline.rollback(act=on, session_id=session_id, to=1, step=Step())
        project_all()
        return session_id


@pytest.fixture
def merging(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Merging:
    doors = stage.aside(made_doors)
    stop_writers(monkeypatch)
    monkeypatch.setattr(stages, "STEPS", (*stages.STEPS, *STEPS))
    return Merging(stage, doors.project)


def fork_of(session_id: str) -> str:
    """Return its fork; where that is erased, an id of none."""
    found = Session.objects.filter(origin_session_id=session_id)
    return found.values_list("id", flat=True).first() or new_id(
        "sess", now=timezone.now()
    )


def erase(act: Act, session_id: str) -> str:
    """Erase the session that is merged into."""
    return erased(session_id)


def erase_the_fork(act: Act, session_id: str) -> str:
    return erased(fork_of(session_id))


def erased(session_id: str) -> str:
    with acting_as(Role.RETENTION):
        gone = keeping.remove_session(
            session_id=session_id,
            removal_id=new_id("rem", now=timezone.now()),
            reason="erasure",
            erasing=True,
        )
    return str(gone.outcome)


def merged(act: Act, session_id: str, request: Any) -> str:
    timeline.merge(
        act=act,
        session_id=session_id,
        request=request,
        choices={},
        step=Step(),
        expected=Expected(number=HEAD),
    )
    return "merged"


def promote(act: Act, session_id: str) -> str:
    return merged(act, session_id, Promote(fork_id=fork_of(session_id)))


def reapply(act: Act, session_id: str) -> str:
    return merged(act, session_id, Reapply(first=2, last=4))


def restore(act: Act, session_id: str) -> str:
    return merged(act, session_id, Restore(version=3, pointers=("/text",)))


@pytest.mark.parametrize(
    ("verb", "actor"),
    [(promote, AGENT), (promote, PERSON), (reapply, AGENT), (restore, PERSON)],
    ids=["agent promote", "person promote", "agent reapply", "person restore"],
)
def test_a_merge_into_what_is_erased_is_whole_or_never_was(
    merging: Merging, verb: Verb, actor: Any
) -> None:
    assert judge(merging, erase, verb, actor) >= 4
    # All rows of every session that was erased are gone, in each of the orders.
    assert merging.stage.aside(left_of_erased) == []


@pytest.mark.parametrize("actor", [AGENT, PERSON], ids=["agent", "person"])
def test_a_promotion_of_a_fork_that_is_erased_is_whole_or_never_was(
    merging: Merging, actor: Any
) -> None:
    assert judge(merging, erase_the_fork, promote, actor) >= 4
    assert merging.stage.aside(left_of_erased) == []


def left_of_erased() -> list[str]:
    """Return of which sessions that are gone something is left that was theirs."""
    there = set(Session.objects.values_list("id", flat=True))
    found: set[str] = set()
    for rows in (Version.objects, Body.objects, Change.objects):
        found |= set(rows.values_list("session_id", flat=True).distinct())
    return sorted(one for one in found - there if one.startswith("sess_"))
