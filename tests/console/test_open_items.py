"""All that is open of one kind: page by page to the end, with true counts."""

import html
import re

import pytest

from apps.accounts.models import Role
from apps.console.pages.project.attention import listing as attention
from apps.timeline.queries import open_items
from tests.accounts.make import make_member
from tests.console.make import HTML, Story, counted_queries, signed_in


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "vera", Role.VIEWER))


def address(project, kind, **query):
    asked = "&".join(f"{name}={value}" for name, value in query.items())
    return f"/console/{project.slug}/open/{kind}" + (f"?{asked}" if asked else "")


def read(viewer, where):
    answer = viewer.get(where, headers=HTML)
    assert answer.status_code == 200, answer.content
    return answer.content.decode()


def rows(text):
    found = re.findall(r'role="rowheader".*?/sessions/(sess_\w+)/versions/(\d+)"', text)
    return [(session_id, int(number)) for session_id, number in found]


def test_it_leads_page_by_page_to_the_end(viewer, project, monkeypatch):
    monkeypatch.setattr(attention, "PAGE", 2)
    lost = [Story(project).update({"dates": None}) for _ in range(3)]
    lost[0].update({"travellers": None})
    wanted = [(story.id, 1) for story in lost]
    wanted.append((lost[0].id, 2))

    found, where = [], address(project, "flagged")
    while where:
        text = read(viewer, where)
        assert len(rows(text)) <= 2
        found += rows(text)
        older = re.search(r'href="([^"]+)" rel="next"', text)
        assert ("Newest" in text) == (len(found) > 2)
        where = older and address(project, "flagged") + html.unescape(older[1])

    assert found[0] == (lost[0].id, 2)
    assert sorted(found) == sorted(wanted)
    assert '<span class="hint">4</span>' in text


def test_it_says_since_when_why_and_what_became_of_the_session(viewer, project):
    asked = Story(project).update({}, objective_status="WAITING_FOR_APPROVAL")
    asked.update({"a": 1}, objective_status="WAITING_FOR_A_ROOM")
    said = Story(project, {"escalated": True}, user_id="u_17")
    lost = Story(project).update({"dates": None}).close()

    waiting = read(viewer, address(project, "waiting"))
    flagged = read(viewer, address(project, "flagged"))

    assert dict(rows(waiting)) == {asked.id: 1, said.id: 0}
    assert "WAITING_FOR_A_ROOM" in waiting
    assert "WAITING_FOR_APPROVAL" not in waiting
    assert ">its state asks for a person<" in waiting
    assert "u_17" in waiting
    assert rows(flagged) == [(lost.id, 1)]
    assert "turned null" in flagged
    assert "status-closed" in flagged


def test_what_was_asked_before_a_pause_is_still_said(viewer, project):
    story = Story(project).update({}, objective_status="WAITING_FOR_APPROVAL").pause()

    text = read(viewer, address(project, "waiting"))

    assert rows(text) == [(story.id, 1)]
    assert "WAITING_FOR_APPROVAL" in text
    assert rows(read(viewer, address(project, "held"))) == [(story.id, 2)]


@pytest.mark.parametrize("kind", ["waiting", "flagged", "held"])
def test_that_there_is_nothing_is_said(viewer, project, kind):
    Story(project)

    text = read(viewer, address(project, kind))

    assert "There is nothing older" not in text
    assert '<div class="empty">' in text


def test_counts_are_exact_up_to_a_bound(viewer, project, monkeypatch):
    monkeypatch.setattr(open_items, "MOST_COUNTED", 2)
    monkeypatch.setattr(attention, "MOST_COUNTED", 2)
    for expected in ("1", "2", "2+", "2+"):
        Story(project, {"escalated": True})
        listed = read(viewer, address(project, "waiting"))
        home = read(viewer, f"/console/{project.slug}")
        assert f'<span class="hint">{expected}</span>' in listed
        assert re.search(rf"Waiting for a human: {re.escape(expected)}<", home)


@pytest.mark.parametrize("kind", ["unread", "FLAGGED", "escalated", "0"])
def test_there_is_no_page_of_another_kind(viewer, project, kind):
    assert viewer.get(address(project, kind), headers=HTML).status_code == 404


@pytest.mark.parametrize(
    "after", ["x", "1.2", "1.2.sess_x", f"{10**17}9.0.sess_{'0' * 26}", "%00"]
)
def test_a_place_that_is_none_is_refused(viewer, project, after):
    Story(project, {"escalated": True})

    answer = viewer.get(address(project, "waiting", after=after), headers=HTML)

    assert answer.status_code == 400


def test_what_others_wrote_is_shown_as_text(viewer, project):
    Story(project, {"a": 1}, agent="<b>a</b>\u202e", user_id="<i>u</i>").update(
        {}, objective_status="WAITING_FOR<script>\u200b"
    )

    text = read(viewer, address(project, "waiting"))

    assert "WAITING_FOR&lt;script&gt;⟨U+200B⟩" in text
    assert "<b>a" not in text
    assert "<i>u" not in text
    assert "\u202e" not in text


def test_another_projects_items_are_its_own(viewer, project, other_project):
    Story(project)
    Story(other_project, {"escalated": True}).update({"escalated": None}).pause()

    for kind in ("waiting", "flagged", "held"):
        assert rows(read(viewer, address(project, kind))) == []


def test_the_number_of_queries_does_not_grow(viewer, project):
    def n_queries():
        with counted_queries() as sent:
            read(viewer, address(project, "flagged"))
        return len(sent)

    Story(project).update({"dates": None})
    before = n_queries()
    for _ in range(3):
        Story(project, agent="another").update({"dates": None})

    assert n_queries() == before
