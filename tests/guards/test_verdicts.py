"""Verdicts follow from history: held against it, made anew, and gone with it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.core.roles.names import Role
from apps.guards.live import rebuilding
from apps.guards.models import Guard, GuardRevision, Trial, Verdict
from apps.timeline.hooks import derived_problems, erase_leavings, leavings_of_sessions
from apps.timeline.models import Session
from apps.timeline.operations import keeping
from tests.acting import acting_as
from tests.feeding import project_all
from tests.guards.make import CORRUPTED, TRIP, guard, tried, verdicts
from tests.timeline import runs

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(admin, run, api):
    """A session in which two versions do not pass, long after its guard was made."""
    made = guard(admin)
    session = runs.begin(api(), TRIP)
    for state in (CORRUPTED, TRIP, CORRUPTED):
        session.put(state)
    long_ago = timezone.now() - timedelta(days=1)
    with acting_as(Role.OWNER):
        Guard.objects.update(created_at=long_ago)
        GuardRevision.objects.update(created_at=long_ago)
    return made, session


def problems(session) -> list[str]:
    return list(derived_problems(session.id))


def test_what_was_judged_follows_from_history(judged):
    _, session = judged

    assert problems(session) == []
    assert len(verdicts(session)) == 2


def test_a_verdict_that_is_missing_is_told_and_made_anew(judged):
    made, session = judged
    Verdict.objects.filter(session_id=session.id, number=1).delete()

    assert problems(session) == [f"There is no verdict of {made['id']} on v1."]
    rebuilding.rebuild(session.id)

    assert problems(session) == []
    assert [one[0] for one in verdicts(session)] == [3, 1]


def test_a_verdict_that_was_made_up_is_told_and_taken_away(judged):
    made, session = judged
    forged = Verdict.objects.get(session_id=session.id, number=1)
    forged.number = 2
    forged.save(force_insert=True)

    (told,) = problems(session)
    assert told == f"The verdict of {made['id']} on v2 does not follow from history."
    rebuilding.rebuild(session.id)

    assert problems(session) == []
    assert [one[0] for one in verdicts(session)] == [3, 1]


def test_a_revision_is_judged_by_its_own_rule(judged, admin):
    made, session = judged
    admin.patch(f"/v1/guards/{made['id']}", {"rule": {"values": 50}})

    assert problems(session) == []


def test_a_session_that_is_removed_takes_its_verdicts_and_examples(judged, admin):
    made, session = judged
    tried(admin, made["id"])
    assert len(Trial.objects.get().examples) == 2
    project = Session.objects.get(id=session.id).project_id

    with acting_as(Role.RETENTION):
        gone = erase_leavings(
            leavings_of_sessions(), {"session": session.id, "project": project}
        )

    assert (gone["verdicts"], gone["trial_examples"]) == (2, 1)
    assert not Verdict.objects.filter(session_id=session.id).exists()
    assert Trial.objects.get().examples == []


def test_of_what_was_emptied_nobody_can_say_it_does_not_follow(judged, admin):
    _, session = judged
    project_all()
    with acting_as(Role.RETENTION):
        keeping.empty_versions(
            session_id=session.id,
            first=1,
            last=1,
            removal_id="rem_1",
            reason="test",
            erasing=True,
        )

    assert problems(session) == []
    assert [one[0] for one in verdicts(session)] == [3]
