"""Incidents on the console: opened from the list, looked at, changed, reported."""

import csv
import html
import io
import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.masks import masks_of
from apps.accounts.models import Role
from apps.incidents.models import Entry, Incident, Member
from tests.accounts.make import make_member
from tests.acts import act_in
from tests.console.make import HTML, Story, signed_in
from tests.incidents.make import make_incident, make_sessions

pytestmark = pytest.mark.django_db


@pytest.fixture
def person(project):
    return make_member(project, "olga", Role.OPERATOR)


@pytest.fixture
def operator(client, person):
    return signed_in(client, person)


@pytest.fixture
def viewer(project):
    return signed_in(Client(), make_member(project, "vera", Role.VIEWER))


def url(name, project, *more):
    return reverse(f"console:{name}", args=[project.slug, *more])


def text(page, status=200):
    assert page.status_code == status, page.content
    return html.unescape(page.content.decode())


def opened(client, project, **fields):
    answer = client.post(url("open_incident", project), fields)
    assert answer.status_code == 303, answer.content
    return client.get(answer["Location"]), Incident.objects.order_by("-id").first()


def changed(client, project, incident, **fields):
    return client.post(url("change_incident", project, incident.id), fields)


def test_what_a_search_finds_is_seen_and_collected(operator, project):
    make_sessions(project, 2)
    Story(project, agent="other", now=timezone.now())
    listed = text(operator.get(url("sessions", project), {"q": "agent:travel-agent"}))
    assert "incidents/open?q=agent%3Atravel-agent" in listed

    asked = operator.get(url("open_incident", project), {"q": "agent:travel-agent"})
    page, incident = opened(
        operator, project, q="agent:travel-agent", title="trip lost"
    )

    assert "Open an incident with 2 sessions?" in text(asked)
    assert Incident.objects.count() == 1
    said = text(page)
    assert "#1</span> trip lost</h1>" in said
    assert "opened it, with the sessions that were collected" in said
    assert "Not known: no check was set." in said
    assert Member.objects.of_incident(incident.id).count() == 2
    assert "trip lost" in text(operator.get(url("incidents", project)))


def test_picked_rows_are_shown_first_and_then_collected(operator, project):
    ids = make_sessions(project, 3)

    asked = operator.post(
        url("open_incident", project), {"session": ids[:2], "look": "on"}
    )
    assert "Open an incident with 2 sessions?" in text(asked)
    assert not Incident.objects.exists()
    opened(operator, project, session=ids[:2], title="x")

    assert Member.objects.count() == 2


def test_an_incident_without_a_title_is_asked_for_one(operator, project):
    ids = make_sessions(project, 1)

    answer = operator.post(
        url("open_incident", project), {"session": ids, "title": " "}, headers=HTML
    )

    assert "title takes 1 to 200 characters" in text(answer, 422)
    assert f'name="session" value="{ids[0]}"' in text(answer, 422)
    assert not Incident.objects.exists()


def test_a_form_that_is_sent_twice_opens_one(operator, project):
    ids = make_sessions(project, 1)

    for _ in range(2):
        _, incident = opened(operator, project, session=ids, title="x", key="k")
    where = url("note_incident", project, incident.id)
    for _ in range(2):
        assert operator.post(where, {"text": "y", "key": "n"}).status_code == 303

    assert Incident.objects.count() == 1
    assert Entry.objects.count() == 2


def test_it_is_taken_noted_on_watched_and_narrowed(operator, project, person):
    ids = make_sessions(project, 2)
    page, incident = opened(operator, project, session=ids, title="x")

    changed(operator, project, incident, owner="olga")
    changed(operator, project, incident, status="watching")
    operator.post(
        url("note_incident", project, incident.id), {"text": "called\nthe airline"}
    )
    answer = operator.post(
        url("narrow_incident", project, incident.id), {"session": ids[0]}
    )

    assert "taken by nobody" in text(page)
    said = text(operator.get(answer["Location"]))
    assert "taken by olga" in said
    assert "gave it to olga" in said
    assert "set it to watching" in said
    assert "taken out by olga" in said
    assert "called" in said
    again = operator.post(
        url("narrow_incident", project, incident.id), {"session": ids[0]}, headers=HTML
    )
    assert again.status_code == 404
    assert text(changed(operator, project, incident, owner="nobody"), 422)
    assert text(changed(operator, project, incident), 400)


def test_the_members_are_shown_as_collected_and_as_they_are(operator, project, person):
    story = Story(project, now=timezone.now(), title="Trip to Rome")
    story.update({"a": 1}, release="1.8.1", model="m-1")
    gone = Story(project, now=timezone.now())
    _, incident = opened(operator, project, session=[story.id, gone.id], title="x")
    story.update({"a": 2}, release="1.8.2")
    story.rollback(1)
    gone.delete()

    said = text(operator.get(url("incident", project, incident.id)))

    assert "Trip to Rome" in said
    assert "1.8.1" in said
    assert "v1 → " in said
    assert "Rolled back</dt><dd>1 " in said
    assert "1 session is deleted, or removed." in said


def test_the_report_is_a_page_and_markdown(operator, project):
    ids = make_sessions(project, 1)
    _, incident = opened(operator, project, session=ids, title="*trip* <b>lost</b>")

    page = operator.get(url("incident_report", project, incident.id))
    file = operator.get(url("incident_markdown", project, incident.id))

    assert "<h1>#1 *trip* <b>lost</b></h1>" in text(page)
    for heading in ("What", "Since when", "Which release", "How many", "What is open"):
        assert f"<h2>{heading}</h2>" in text(page)
        assert f"## {heading}\n" in file.content.decode()
    assert file.content.decode().startswith(r"# \*trip\* \<b\>lost\<\/b\>" + "\n")
    assert file["Content-Type"].startswith("text/markdown")
    assert "attachment" in file["Content-Disposition"]
    assert "sandbox" in file["Content-Security-Policy"]


def test_the_csv_runs_in_no_spreadsheet(operator, project):
    story = Story(project, now=timezone.now(), title="=HYPERLINK(1)")
    _, incident = opened(operator, project, session=[story.id], title="x")

    file = operator.get(url("incident_export", project, incident.id))

    _, row = csv.reader(io.StringIO(file.content.decode()))
    assert row[:3] == [story.id, "'=HYPERLINK(1)", "travel-agent"]


def test_a_csv_that_is_cut_says_so(operator, project, person, monkeypatch):
    monkeypatch.setattr("apps.console.views.incidents.looking.EXPORTED", 1)
    incident = make_incident(project, act_in(project).actor, make_sessions(project, 2))

    file = operator.get(url("incident_export", project, incident.id))

    _, _, (last,) = csv.reader(io.StringIO(file.content.decode()))
    assert last == "# Not all: these are the newest 1 sessions of the incident."


def test_a_viewer_looks_and_does_nothing(viewer, project, person):
    incident = make_incident(project, act_in(project).actor, make_sessions(project, 1))

    said = text(viewer.get(url("incident", project, incident.id)))
    listed = text(viewer.get(url("sessions", project), {"q": "agent:travel-agent"}))

    assert "Take out" not in said
    assert "Resolve" not in said
    assert "Open an incident" not in listed
    for name, fields in (
        ("change_incident", {"status": "resolved"}),
        ("note_incident", {"text": "x"}),
        ("narrow_incident", {"session": Member.objects.get().session_id}),
    ):
        at = url(name, project, incident.id)
        assert viewer.post(at, fields).status_code == 403
        assert viewer.get(at).status_code == 405
    assert viewer.post(url("open_incident", project), {}).status_code == 403
    assert Entry.objects.count() == 1


def test_another_projects_incident_is_none(operator, project, other_project):
    theirs = make_incident(
        other_project, act_in(other_project).actor, make_sessions(other_project, 1)
    )

    for name in (
        "incident",
        "incident_report",
        "incident_markdown",
        "incident_export",
    ):
        assert operator.get(url(name, project, theirs.id)).status_code == 404
    assert changed(operator, project, theirs, status="resolved").status_code == 404
    assert "trip lost" not in text(operator.get(url("incidents", project)))


def test_whoever_is_masked_sees_no_masked_word_nor_check(operator, project, person):
    story = Story(
        project, {"order": "A-17"}, now=timezone.now(), title="mail ann@x.org"
    )
    secret = [
        {"pointer": "/order", "style": "hide"},
        {"pattern": "email", "style": "hide"},
    ]
    accounts.set_masks(act=act_in(project), project=project, masks=masks_of(secret))
    incident = make_incident(
        project, act_in(project).actor, [story.id], check="state.order=A-17"
    )

    said = text(operator.get(url("incident", project, incident.id)))
    report = operator.get(url("incident_markdown", project, incident.id))

    assert story.id in said
    assert "ann@x.org" not in said
    assert "A-17" not in said
    assert "A-17" not in report.content.decode()
    assert "masks cover" in said
    refused = changed(operator, project, incident, check="state.order=A-18")
    assert "masks cover" in text(refused, 422)


def test_those_that_are_open_are_counted_beside_every_page(operator, project):
    actor, ids = act_in(project).actor, make_sessions(project, 1)
    for _ in range(2):
        incident = make_incident(project, actor, ids)

    before = counted(operator, project)
    changed(operator, project, incident, status="watching")

    assert (before, counted(operator, project)) == ("2", "1")


def counted(client, project):
    """Return the count beside the page of incidents."""
    page = text(client.get(url("agent_list", project)))
    item = re.search(r'<a href="[^"]*/incidents"[^>]*>(.*?)</a>', page, re.DOTALL)[1]
    return re.sub(r"<[^>]+>|\D", "", item)


def test_how_very_many_stand_now_is_left_to_the_report(operator, project, monkeypatch):
    where = "apps.console.pages.incidents.incident_page.LOOKED_UP"
    monkeypatch.setattr(where, 1)
    incident = make_incident(project, act_in(project).actor, make_sessions(project, 2))

    page = text(operator.get(url("incident", project, incident.id)))
    report = text(operator.get(url("incident_report", project, incident.id)))

    assert "Moved on since" not in page
    assert "How so many sessions stand now is in the" in page
    assert "2 sessions have no new version since collected." in report


def test_a_hundred_members_take_no_more_statements(
    operator, project, django_assert_num_queries, django_assert_max_num_queries
):
    actor = act_in(project).actor
    ids = make_sessions(project, 5)
    few = make_incident(project, actor, ids[:1])
    many = make_incident(project, actor, ids)
    operator.get(url("incident", project, few.id))

    with django_assert_max_num_queries(40) as counted:
        operator.get(url("incident", project, few.id))
    with django_assert_num_queries(len(counted)):
        operator.get(url("incident", project, many.id))


def test_its_number_leads_to_it_from_the_search(operator, project, other_project):
    (first,) = make_sessions(project, 1)
    incident = make_incident(project, act_in(project).actor, [first])

    found = operator.get(url("sessions", project), {"q": "#1"})
    unknown = operator.get(url("sessions", project), {"q": "#2"})

    assert found["Location"] == url("incident", project, incident.id)
    assert unknown.status_code == 200
    assert "#1" in text(operator.get(url("incidents", project)))


def test_sessions_are_added_by_their_ids(operator, viewer, project):
    first, second, third = make_sessions(project, 3)
    incident = make_incident(project, act_in(project).actor, [first])
    widen = url("widen_incident", project, incident.id)

    sent = {"sessions": f"{second}, {third}", "key": "k"}
    for _ in range(2):
        assert operator.post(widen, sent).status_code == 303
    refused = operator.post(widen, {"sessions": "<b>x"}, headers=HTML)

    assert Member.objects.count() == 3
    page = text(operator.get(url("incident", project, incident.id)))
    assert "added 2 sessions" in page
    assert "<b>x" not in refused.content.decode()
    assert refused.status_code == 400
    assert viewer.post(widen, sent).status_code == 403
    assert operator.get(widen).status_code == 405
    unknown = url("widen_incident", project, "incd_x")
    assert operator.post(unknown, {"sessions": second}).status_code == 404
