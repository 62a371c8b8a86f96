"""A project's first page: what needs attention, and what does not any more."""

import html
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import Role
from apps.console.views.project import home
from apps.timeline.queries import activity
from tests.accounts.make import make_member
from tests.console.make import Story, address, counted_queries, signed_in

LARGE = {"notes": ["x" * 50] * 20, "destination": "NYC"}


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "vera", Role.VIEWER))


def page(viewer, project):
    answer = viewer.get(f"/console/{project.slug}")
    assert answer.status_code == 200
    return answer.content.decode()


def section(text, name):
    return text.partition(f'aria-labelledby="{name}"')[2].partition("</section>")[0]


def versions(text, name):
    """Where the links of a list lead, by session."""
    return re.findall(r'href="([^"]+/versions/\d+)"', section(text, name))


def test_an_empty_project_shows_how_to_fill_it(viewer, project):
    answer = viewer.get(f"/console/{project.slug}", headers={"Host": "localhost:8123"})

    text = html.unescape(answer.content.decode())
    assert "curl -X POST http://localhost:8123/v1/sessions" in text
    assert 'base_url="http://localhost:8123"' in text
    assert '"STEPBACK_URL": "http://localhost:8123"' in text
    assert "StepbackSaver(" in text
    assert "administrator" in text
    assert "Make a key" not in text


def test_a_page_that_waits_for_the_first_session_is_told_when_it_comes(viewer, project):
    where = f"/console/{project.slug}/first-session"
    before = viewer.get(where).content.decode()

    story = Story(project)

    after = viewer.get(where).content.decode()
    assert f'hx-get="{where}"' in before
    assert "hx-get" not in after
    assert address(project, story.id) in after


def test_nobody_else_is_told_of_a_first_session(client, project, other_project):
    where = f"/console/{project.slug}/first-session"
    stranger = signed_in(client, make_member(other_project, "mallory"))

    assert stranger.get(where).status_code == 404
    assert stranger.post(where).status_code == 405
    assert Client().get(where).status_code == 302


def test_it_says_in_words_how_much_needs_a_person(viewer, project):
    Story(project)
    calm = page(viewer, project)
    Story(project, {"escalated": True})
    one = page(viewer, project)
    Story(project).update({"a": 1}).rollback(0, hold=True)

    assert "<h1>Nothing needs you.</h1>" in calm
    assert "No agent asks for a human. No session is held." in calm
    assert "<h1>1 thing needs you.</h1>" in one
    assert "<h1>2 things need you.</h1>" in page(viewer, project)


def test_it_says_how_the_last_day_went_and_which_release_was_worst(viewer, project):
    now = timezone.now() - timedelta(hours=1)
    Story(project, now=now).update({"a": 1}, release="1.8.0")
    Story(project, now=now).update({"a": 1}, release="1.8.1").rollback(0)

    text = page(viewer, project)

    assert "1 of 2 sessions" in section(text, "rate")
    assert "few sessions" in section(text, "rate")
    releases = re.findall(r'class="badge release"[^>]*>([^<]+)<', text)
    assert releases == ["1.8.1", "1.8.0"]
    assert section(text, "releases").count("100.0 %") == 1


def test_what_was_lost_is_listed_until_somebody_rolls_behind_it(viewer, project):
    lost = Story(project).update({"dates": None})
    shrunk = Story(project, LARGE).update({}, remove=["/notes"])
    mended = Story(project).update({"dates": None}).rollback(0)

    text = page(viewer, project)

    assert set(versions(text, "flagged")) == {
        address(project, lost.id, "versions", 1),
        address(project, shrunk.id, "versions", 1),
    }
    assert "turned null" in section(text, "flagged")
    assert "state shrank" in section(text, "flagged")
    assert versions(text, "rollbacks") == [address(project, mended.id, "versions", 2)]
    assert "to v0 by olga: wrong turn" in section(text, "rollbacks")


def test_each_list_leads_to_all_of_its_kind(viewer, project):
    nulled = Story(project).update({"dates": None})
    shrunk = Story(project, LARGE).update({"notes": []})
    waiting = Story(project, {"n": 0}).update({"escalated": True})
    asking = Story(project, {"n": 0}).update({}, objective_status="WAITING_FOR_YOU")
    held = Story(project).update({"a": 1}).rollback(0, hold=True)
    Story(project)

    text = page(viewer, project)

    assert listed(viewer, text, "waiting") == {(asking.id, 1), (waiting.id, 1)}
    assert listed(viewer, text, "flagged") == {(shrunk.id, 1), (nulled.id, 1)}
    assert listed(viewer, text, "held") == {(held.id, 2)}
    acts = viewer.get(all_of(text, "rollbacks")).content.decode()
    assert re.findall(r'href="[^"]*/(sess_\w+)/versions/(\d+)"', acts) == [
        (held.id, "2")
    ]


def all_of(text, name):
    """Return where all of a list are, by its link."""
    if name == "rollbacks":
        text = section(text, name)
    links = re.findall(r'<a href="([^"]+)">', text)
    kind = "/audit?" if name == "rollbacks" else f"/open/{name}"
    (link,) = (one for one in links if kind in one)
    return html.unescape(link)


def listed(viewer, text, name):
    """Return what the page of a kind lists, whole."""
    found = viewer.get(all_of(text, name)).content.decode()
    rows = re.findall(r'role="rowheader".*?/sessions/(sess_\w+)/versions/(\d+)"', found)
    return {(session_id, int(number)) for session_id, number in rows}


def test_a_rollback_to_after_the_loss_mends_nothing(viewer, project):
    story = Story(project).update({"dates": None}).update({"a": 1}).update({"a": 2})
    story.rollback(2)

    assert versions(page(viewer, project), "flagged") == [
        address(project, story.id, "versions", 1)
    ]


@pytest.mark.parametrize(
    ("state", "step", "is_waiting"),
    [
        ({"escalated": True}, {}, True),
        ({"escalated_to_human": True}, {}, True),
        ({"escalated": False}, {}, False),
        ({"escalated": "true"}, {}, False),
        ({"a": {"escalated": True}}, {}, False),
        ({}, {"objective_status": "WAITING_FOR_APPROVAL"}, True),
        ({}, {"objective_status": "WAITING_FOR"}, True),
        ({}, {"objective_status": "WAITINGXFOR"}, False),
        ({}, {"objective_status": "DONE"}, False),
    ],
)
def test_who_waits_for_a_human_is_listed(viewer, project, state, step, is_waiting):
    story = Story(project, {"step": 0}).update({"step": 1, **state}, **step)

    found = versions(page(viewer, project), "waiting")

    assert found == ([address(project, story.id, "versions", 1)] if is_waiting else [])


def test_who_no_longer_waits_is_not_listed(viewer, project):
    Story(project, {"escalated": True}).update({"escalated": False})
    Story(project, {"escalated": True}).delete()

    assert versions(page(viewer, project), "waiting") == []


def test_a_held_session_is_listed(viewer, project):
    story = Story(project).update({"a": 1}).rollback(0, hold=True)

    assert versions(page(viewer, project), "held") == [
        address(project, story.id, "versions", 2)
    ]


def test_the_busiest_agents_come_first(viewer, project):
    Story(project, agent="quiet")
    busy = Story(project, agent="busy")
    for number in range(3):
        busy.update({"n": number})

    text = section(page(viewer, project), "busiest")

    assert text.index("busy") < text.index("quiet")
    assert "4 acts in 1 session" in text


def test_the_newest_acts_hide_nothing(viewer, project, monkeypatch):
    monkeypatch.setattr(activity, "ACTS_LOOKED_AT", 3)
    monkeypatch.setattr(home, "ACTS_LOOKED_AT", 3)
    now = timezone.now() - timedelta(days=1)
    waiting = Story(project, {"escalated": True}, now=now)
    lost = Story(project, now=now).update({"dates": None})
    held = Story(project, now=now).update({"a": 1}).rollback(0, hold=True)
    later = Story(project, now=now + timedelta(hours=1), agent="later")
    for number in range(3):
        later.update({"n": number})

    text = page(viewer, project)

    assert versions(text, "waiting") == [address(project, waiting.id, "versions", 0)]
    assert versions(text, "flagged") == [address(project, lost.id, "versions", 1)]
    assert versions(text, "held") == [address(project, held.id, "versions", 2)]
    assert "newest 3 acts" in text
    assert "travel-agent" not in section(text, "busiest")


def test_another_projects_troubles_are_its_own(viewer, project, other_project):
    Story(project)
    Story(other_project, {"escalated": True}).update({"escalated": None}).rollback(0)

    text = page(viewer, project)

    for name in ("escalated", "flagged", "rollbacks", "held"):
        assert versions(text, name) == []


def test_what_others_wrote_is_shown_as_text(viewer, project):
    story = Story(project, agent="<b>a</b>\u202e", user_id="<i>u</i>")
    story.update({"x": 1}).rollback(0, reason="<script>alert(1)</script>\u200b")

    text = page(viewer, project)

    assert "<script>alert" not in text
    assert "<b>a" not in text
    assert "<i>u" not in text
    assert "\u202e" not in text
    assert "\u200b" not in text


def test_the_number_of_queries_does_not_grow(viewer, project):
    def n_queries():
        with counted_queries() as sent:
            page(viewer, project)
        return len(sent)

    def add():
        Story(project, {"escalated": True}).update({"a": None}).rollback(0, hold=True)
        Story(project, agent=f"agent {timezone.now()}").update({"dates": None})

    add()
    n_queries()  # what closed hours said is remembered
    before = n_queries()
    add()
    add()

    assert n_queries() == before


def test_one_session_does_not_fill_the_list_of_what_was_lost(viewer, project):
    other = Story(project).update({"dates": None})
    lossy = Story(project, external_id="run-7")
    for number in range(9):
        lossy.update({f"n{number}": 1}).update({f"n{number}": None})

    text = section(page(viewer, project), "flagged")

    assert len(re.findall("<li>", text)) == 2
    assert ">run-7</a>" in text
    assert '<span class="badge">v18</span>' in text
    assert address(project, lossy.id, "versions", 16) in text
    assert address(project, other.id, "versions", 1) in text
    assert '<span class="hint">10</span>' in text
