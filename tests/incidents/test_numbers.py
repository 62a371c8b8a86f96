"""Incidents have numbers, take sessions in by hand, and open again by their check."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from apps.accounts.models import Scope
from apps.audit.models import AuditRecord
from apps.core.roles.names import Role as DatabaseRole
from apps.incidents import looking, watching
from apps.incidents import operations as incidents
from apps.incidents.models import Entry, Incident, Member
from apps.plans.models import Item
from tests.acting import acting_as
from tests.acts import act_in
from tests.console.make import Story
from tests.incidents.make import make_incident, make_sessions
from tests.incidents.watched import CHECK, LATER, fed, newer, resolved, stands, swept

pytestmark = pytest.mark.django_db


def added(client, incident, ids, **headers):
    path = f"/v1/incidents/{incident.id}/members"
    return client.post(path, {"sessions": ids}, **headers)


def test_each_project_counts_its_own_from_one(api, project, other_project, olga):
    ids, others = make_sessions(project, 1), make_sessions(other_project, 1)

    numbers = [make_incident(project, olga, ids).number for _ in range(3)]

    assert numbers == [1, 2, 3]
    assert make_incident(other_project, olga, others).number == 1
    (found,) = api().get("/v1/incidents", {"number": 2}).body["data"]
    assert found["number"] == 2
    assert api().get("/v1/incidents", {"number": 9}).body["data"] == []
    assert api().get("/v1/incidents", {"number": "x"}).status == 400


@pytest.mark.django_db(transaction=True)
def test_opened_at_once_they_never_have_the_same_number(project, olga):
    ids = make_sessions(project, 1)

    def opening():
        try:
            for _ in range(5):
                make_incident(project, olga, ids)
        finally:
            connection.close()

    threads = [threading.Thread(target=opening) for _ in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()

    numbers = Incident.objects.order_by("number").values_list("number", flat=True)
    assert list(numbers) == list(range(1, 16))


def test_sessions_are_added_as_they_are_now(api, project, olga):
    first, second = make_sessions(project, 2)
    incident = make_incident(project, olga, [first], check=CHECK)
    Incident.objects.update(checked_at=timezone.now())

    told = added(api(), incident, [first, second])

    assert (told.status, told.body["sessions"]) == (200, 2)
    assert told.body["checked_at"] is None
    assert Member.objects.get(session_id=second).head_number == 0
    entry = Entry.objects.order_by("-id").first()
    assert (entry.deed, entry.text) == ("added", "1 session")
    assert AuditRecord.objects.filter(action="incident.widened").count() == 1
    report = api().get(f"/v1/incidents/{incident.id}/report").body["markdown"]
    assert "added 1 session" in report


def test_what_is_in_it_already_is_no_deed(api, project, olga):
    ids = make_sessions(project, 1)
    incident = make_incident(project, olga, ids)

    assert added(api(), incident, ids).status == 200

    assert not Entry.objects.filter(deed="added").exists()


def test_one_that_was_taken_out_comes_back_as_it_was_collected(api, project, olga):
    (first,) = make_sessions(project, 1)
    incident = make_incident(project, olga, [first])
    incidents.remove(
        act=act_in(project, olga), incident_id=incident.id, session_id=first
    )

    assert added(api(), incident, [first]).body["sessions"] == 1

    member = Member.objects.get()
    assert (member.removed_at, member.removed_by) == (None, None)


def test_no_more_than_an_incident_takes_are_added(api, project, olga, monkeypatch):
    monkeypatch.setattr("apps.incidents.operations.opening.MOST", 2)
    first, second, third = make_sessions(project, 3)
    incident = make_incident(project, olga, [first, second])

    refused = added(api(), incident, [third])

    assert (refused.status, refused.code) == (422, "unacceptable_incident")
    assert Member.objects.count() == 2


def test_who_may_add_what(api, make_key, project, other_project, olga):
    ids, others = make_sessions(project, 1), make_sessions(other_project, 1)
    incident = make_incident(project, olga, ids)

    for client, some, status in [
        (api(), others, 404),
        (api(), ["x"], 400),
        (api(), [], 422),
        (api(make_key(Scope.READ)), ids, 403),
        (api(make_key(project=other_project)), others, 404),
        (api(make_key(agents=["other"])), ids, 404),
        (api(None), ids, 401),
    ]:
        assert added(client, incident, some).status == status


def test_a_lost_reply_adds_once(api, project, olga):
    first, second = make_sessions(project, 2)
    incident, client = make_incident(project, olga, [first]), api()

    one, again = (
        added(client, incident, [second], Idempotency_Key="a") for _ in range(2)
    )

    assert one.body == again.body
    assert Entry.objects.filter(deed="added").count() == 1


def test_a_check_that_fails_in_a_newer_release_opens_it_again(project, olga):
    incident = resolved(project, olga)
    story = newer(project, 11, "r2")
    newer(project, 1, "r2")

    assert swept(timedelta(0)) == 0
    assert swept() == 2

    incident.refresh_from_db()
    assert (incident.status, incident.resolved_at) == ("open", None)
    member = Member.objects.get(session_id=story.id)
    assert (member.release, member.verdict) == ("r2", None)
    assert Member.objects.count() == 2
    deeds = list(Entry.objects.order_by("id").values_list("deed", "actor_kind"))
    assert deeds[-2:] == [("added", "system"), ("status", "system")]
    assert AuditRecord.objects.filter(action="incident.reopened").count() == 1
    assert swept() == 0


def test_however_many_were_resolved_before_it_each_is_watched(
    project, olga, monkeypatch
):
    monkeypatch.setattr(watching, "AT_A_TIME", 2)
    before = [resolved(project, olga, "state.total<=100") for _ in range(3)]
    incident = resolved(project, olga)
    newer(project, 11, "r2")

    assert swept() == 4

    assert stands(incident) == "open"
    assert {stands(one) for one in before} == {"resolved"}


def test_of_very_many_releases_the_newest_are_looked_into(project, olga, monkeypatch):
    monkeypatch.setattr(watching, "MOST_RELEASES", 1)
    incident = resolved(project, olga)
    newer(project, 1, "a-first")
    newer(project, 11, "b-second")

    assert swept() == 1

    assert stands(incident) == "open"


def test_what_passes_opens_nothing_and_is_looked_into_once(project, olga):
    incident = resolved(project, olga)
    newer(project, 1, "r2")

    assert swept() == 1
    assert stands(incident) == "resolved"
    assert incident.watched_to is not None
    assert swept() == 0


def test_what_fails_in_an_older_release_opens_nothing(project, olga):
    newer(project, 1, "r1")
    incident = resolved(project, olga)
    newer(project, 11, "r1")

    assert swept() == 0
    assert stands(incident) == "resolved"


def test_a_session_that_breaks_later_opens_it_again(project, olga):
    incident = resolved(project, olga)
    story = newer(project, 1, "r2")
    assert swept() == 1
    # It is written to for long, and breaks in the middle of it.
    story.update({"note": "still fine"}, release="r2")
    fed()
    assert swept() == 1
    assert stands(incident) == "resolved"

    story.update({"total": 11}, release="r2").update({"total": 1}, release="r3")
    fed()

    assert swept() == 1
    assert stands(incident) == "open"
    assert Member.objects.filter(session_id=story.id).exists()


def test_one_that_was_wrong_before_is_no_news_of_a_newer_release(project, olga):
    story = Story(project, {"total": 11}, now=timezone.now() - timedelta(hours=1))
    incident = resolved(project, olga)
    newer(project, 1, "r2")
    story.now = timezone.now()
    story.update({"note": "goes on"}, release="r2")
    fed()

    assert swept() == 2
    assert stands(incident) == "resolved"


def test_a_session_of_it_that_breaks_again_opens_it_and_stays_one(project, olga):
    story = Story(project, {"total": 11}, now=timezone.now() - timedelta(hours=1))
    incident = make_incident(project, olga, [story.id], check=CHECK)
    story.now = timezone.now()
    story.update({"total": 1})
    act = act_in(project, olga)
    incidents.change(act=act, incident_id=incident.id, status="resolved")
    story.now = timezone.now()
    story.update({"total": 12}, release="r2")
    fed()

    assert swept() == 1
    assert stands(incident) == "open"
    assert Member.objects.count() == 1
    told = Entry.objects.order_by("id").values_list("deed", "text")
    assert (
        "noted",
        "1 of its sessions fail again, in a release that was first seen "
        "after it was resolved",
    ) in list(told)


def test_one_that_breaks_again_is_looked_into_again(project, olga):
    story = Story(project, {"total": 1}, now=timezone.now() - timedelta(hours=1))
    story.update({"total": 11})
    incident = make_incident(project, olga, [story.id], check=CHECK)
    looked()
    assert Member.objects.get().bad_number == 1
    story.rollback(0)
    act = act_in(project, olga)
    incidents.change(act=act, incident_id=incident.id, status="resolved")
    story.now = timezone.now()
    story.update({"note": "fine"}).update({"total": 12}, release="r2")
    fed()
    swept()
    assert stands(incident) == "open"

    looked()

    member = Member.objects.get()
    assert (member.bad_number, member.bad_release) == (4, "r2")
    plan = incidents.plan(
        act=act_in(project, olga), incident_id=incident.id, kind="rollback", params={}
    )
    assert Item.objects.get(plan=plan).target == 3


def looked():
    with acting_as(DatabaseRole.WORKER):
        looking.sweep(now=timezone.now())


def test_one_that_was_taken_out_of_it_opens_nothing(project, olga):
    incident = resolved(project, olga)
    story = newer(project, 1, "r2")
    act = act_in(project, olga)
    incidents.add(act=act, incident_id=incident.id, session_ids=[story.id])
    incidents.remove(act=act, incident_id=incident.id, session_id=story.id)
    story.update({"total": 11}, release="r2")
    fed()

    swept()
    assert stands(incident) == "resolved"


def test_a_worker_that_is_a_day_behind_passes_nothing_over(project, olga):
    incident = resolved(project, olga)
    story = Story(project, {"total": 1}, now=timezone.now())
    story.update({"total": 11}, release="r2")

    # Nobody has heard of the release yet: what was written waits as well.
    assert swept(timedelta(days=1)) == 0
    assert (stands(incident), incident.watched_to) == ("resolved", None)
    newer(project, 1, "r3")

    assert swept(timedelta(days=1)) == 2
    assert stands(incident) == "open"


def test_many_sessions_are_looked_into_by_turns(project, olga, monkeypatch):
    monkeypatch.setattr(watching, "AT_ONCE", 2)
    monkeypatch.setattr(watching, "AT_MOST", 3)
    incident = resolved(project, olga)
    for _ in range(5):
        newer(project, 1, "r2")
    newer(project, 11, "r2")

    assert swept() == 6
    assert stands(incident) == "open"


def test_without_a_newer_release_nothing_is_read(
    project, olga, django_assert_num_queries
):
    incident = resolved(project, olga)
    newer(project, 11, None)
    incident = Incident.objects.select_related("project").get(id=incident.id)

    with django_assert_num_queries(1):
        found = watching.watch(incident, now=timezone.now() + LATER)

    assert (found.n_sessions, found.goes_on) == (0, False)


def test_one_that_was_opened_meanwhile_is_left_as_it_is(project, olga, monkeypatch):
    incident = resolved(project, olga)
    newer(project, 11, "r2")
    seen = watching.look

    def opening(*args, **more):
        act = act_in(project, olga)
        with acting_as(DatabaseRole.WEB):
            incidents.change(act=act, incident_id=incident.id, status="watching")
        return seen(*args, **more)

    monkeypatch.setattr(watching, "look", opening)
    swept()

    incident.refresh_from_db()
    assert incident.status == "watching"
    assert Member.objects.count() == 1
