"""The worker looks for the first version of each session that does not pass."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from apps.incidents import looking
from apps.incidents import operations as incidents
from apps.incidents.models import Incident, Member
from tests.acts import act_in
from tests.console.make import Story
from tests.incidents.make import make_incident

pytestmark = pytest.mark.django_db
CHECK = "state.total<=10"


def sweep():
    return looking.sweep(now=timezone.now())


def story_of(project, *totals, **about):
    """Return a session whose versions have these totals."""
    story = Story(project, {"total": totals[0]}, now=timezone.now(), **about)
    for total in totals[1:]:
        story.update({"total": total}, release=f"r{total}")
    return story


def found(incident):
    members = Member.objects.of_incident(incident.id).order_by("session_id")
    return [(one.verdict, one.bad_number, one.bad_release) for one in members]


def test_the_first_bad_version_of_each_is_found(project, olga):
    bad = story_of(project, 1, 5, 11, 3, 12)
    good = story_of(project, 1, 2)
    begins = story_of(project, 20, 3)
    incident = make_incident(project, olga, [bad.id, good.id, begins.id], check=CHECK)

    assert sweep() == 3

    assert found(incident) == [
        ("bad", 2, "r11"),
        ("good", None, None),
        ("bad", 0, None),
    ]
    incident.refresh_from_db()
    assert incident.checked_at is not None
    assert sweep() == 0


def test_what_a_rollback_set_aside_is_not_looked_into(project, olga):
    story = story_of(project, 1, 11)
    story.rollback(0)
    incident = make_incident(project, olga, [story.id], check=CHECK)

    sweep()

    assert found(incident) == [("good", None, None)]


def test_the_first_bad_version_may_be_of_the_origin(project, olga):
    story = story_of(project, 1, 11, 12)
    fork = story.fork(2)
    incident = make_incident(project, olga, [fork], check=CHECK)

    sweep()

    (member,) = Member.objects.all()
    assert (member.bad_session_id, member.bad_number) == (story.id, 1)
    assert found(incident)[0][2] == "r11"


@pytest.mark.parametrize("is_deleted", [False, True])
def test_one_that_expired_or_was_deleted_is_looked_into(project, olga, is_deleted):
    story = story_of(project, 1, 11, ttl_seconds=None if is_deleted else 600)
    incident = make_incident(project, olga, [story.id], check=CHECK)
    if is_deleted:
        story.delete()

    later = timezone.now() + timedelta(days=1)
    looking.sweep(now=later, clock=lambda: later)

    assert found(incident) == [("bad", 1, "r11")]


def test_the_first_bad_version_of_an_origin_that_expired_is_found(project, olga):
    story = story_of(project, 1, 11, 12, ttl_seconds=600)
    incident = make_incident(project, olga, [story.fork(2)], check=CHECK)

    later = timezone.now() + timedelta(days=1)
    looking.sweep(now=later, clock=lambda: later)

    assert found(incident) == [("bad", 1, "r11")]


def test_it_is_counted_by_the_release_of_the_first_bad_version(api, project, olga):
    ids = [story_of(project, 1, 11).id for _ in range(2)]
    ids += [story_of(project, 1, 12).id, story_of(project, 1).id]
    incident = make_incident(project, olga, ids, check=CHECK)
    sweep()

    told = api().get(f"/v1/incidents/{incident.id}").body
    report = api().get(f"/v1/incidents/{incident.id}/report").body["markdown"]

    counts = told["counts"]
    assert counts["by_first_bad_release"] == [
        {"name": "r11", "sessions": 2},
        {"name": "r12", "sessions": 1},
    ]
    assert (counts["bad"], counts["good"], counts["not_looked_at"]) == (3, 1, 0)
    assert counts["first_bad_at"]
    assert "The first version that does not pass: " in report
    assert "3 do not pass, 1 do" in report
    members = api().get(f"/v1/incidents/{incident.id}/members").body["data"]
    assert members[-1]["first_bad"]["version"] == 1


def test_more_versions_than_one_answer_looks_into_are_gone_through(
    project, olga, monkeypatch
):
    monkeypatch.setattr("apps.timeline.bisect.looking.MOST_STATES", 4)
    monkeypatch.setattr("apps.timeline.bisect.asking.AT_ONCE", 2)
    story = story_of(project, *range(1, 10), 11, 1, 2, 12, 1)
    incident = make_incident(project, olga, [story.id], check=CHECK)

    sweep()

    assert found(incident) == [("bad", 9, "r11")]


def test_another_check_is_looked_for_anew(project, olga):
    story = story_of(project, 1, 11, 21)
    incident = make_incident(project, olga, [story.id], check=CHECK)
    sweep()

    act = act_in(project, olga)
    changed = incidents.change(
        act=act, incident_id=incident.id, check="state.total<=20"
    )
    assert (changed.checked_at, found(incident)) == (None, [(None, None, None)])
    sweep()

    assert found(incident) == [("bad", 2, "r21")]
    incidents.change(act=act, incident_id=incident.id, check=None)
    assert sweep() == 0
    assert found(incident) == [(None, None, None)]


def test_what_was_found_of_a_check_that_was_changed_meanwhile_is_not_told(
    project, olga, monkeypatch
):
    story = story_of(project, 1, 11)
    incident = make_incident(project, olga, [story.id], check=CHECK)
    seen = looking.look

    def changing(*args, **more):
        incidents.change(
            act=act_in(project, olga),
            incident_id=incident.id,
            check="state.total<=20",
        )
        return seen(*args, **more)

    monkeypatch.setattr(looking, "look", changing)
    looking.look_on(Incident.objects.get(id=incident.id), now=timezone.now())

    assert found(incident) == [(None, None, None)]


def test_a_session_that_is_gone_or_breaks_holds_up_no_other(project, olga, monkeypatch):
    gone, bad = story_of(project, 1, 11), story_of(project, 1, 11)
    incident = make_incident(project, olga, [gone.id, bad.id], check=CHECK)
    walked = looking.find_first_bad

    def breaking(scope, session_id, *args, **more):
        if session_id == gone.id:
            raise RuntimeError("broken")
        return walked(scope, session_id, *args, **more)

    monkeypatch.setattr(looking, "find_first_bad", breaking)
    sweep()

    assert [one[0] for one in found(incident)] == ["unknown", "bad"]


def test_those_taken_out_are_not_looked_into(project, olga):
    stories = [story_of(project, 1, 11) for _ in range(2)]
    incident = make_incident(project, olga, [one.id for one in stories], check=CHECK)
    incidents.remove(
        act=act_in(project, olga), incident_id=incident.id, session_id=stories[0].id
    )

    assert sweep() == 1

    assert found(incident) == [(None, None, None), ("bad", 1, "r11")]


@pytest.mark.django_db(transaction=True)
def test_two_workers_tell_the_same_and_end_it_once(project, olga):
    ids = [story_of(project, 1, 11).id for _ in range(25)]
    incident = make_incident(project, olga, ids, check=CHECK)
    barrier = threading.Barrier(2)

    def work():
        try:
            barrier.wait(30)
            sweep()
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found(incident) == [("bad", 1, "r11")] * 25
    assert Incident.objects.get(id=incident.id).checked_at is not None
