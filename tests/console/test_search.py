"""Searching on the page of sessions: chips, reasons, typos, ids, views, CSV."""

import csv
import html
import io
import re
from datetime import timedelta
from urllib.parse import quote

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Membership, Role, SavedView
from apps.console import queries
from apps.console.pages.project import session_search
from apps.timeline import bodies
from apps.timeline.bodies.caching import Cache
from apps.timeline.models import Version
from tests.accounts.make import make_member
from tests.console.make import Story, address, counted_queries, signed_in

ORDER = {"order": {"id": "A-17"}, "status": "open"}


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "vera", Role.VIEWER))


@pytest.fixture
def operator(client, project):
    return signed_in(client, make_member(project, "olga", Role.OPERATOR))


def search(client, project, text, **more):
    return client.get(address(project), {"q": text, **more}, headers={})


def url(name, project, *more):
    return reverse(f"console:{name}", args=[project.slug, *more])


def text(page):
    return html.unescape(page.content.decode())


def listed(page):
    """The ids of the sessions in the table, in its order."""
    return re.findall(r'<a href="[^"]+" title="(sess_\w+)">', text(page))


def test_a_value_finds_its_session_and_says_where(viewer, project):
    story = Story(project, ORDER).update({"status": "refunded"})
    Story(project, {"order": {"id": "A-18"}})

    page = search(viewer, project, 'state.order.id="A-17" ever:state.status=open')

    assert listed(page) == [story.id]
    why = text(page).partition('class="why"')[2].partition("</tr>")[0]
    assert '<code>state.order.id="A-17"</code>' in why
    assert "/order<wbr>/id" in why
    assert address(project, story.id, "versions", 0) in why


def test_a_word_of_the_reasoning_leads_to_its_version(viewer, project):
    story = Story(project).update({"a": 1}, reasoning="The customer mistyped it")

    page = search(viewer, project, "mistyped")

    assert listed(page) == [story.id]
    assert f'<a href="{address(project, story.id, "versions", 1)}">v1</a>' in text(page)


def test_each_term_is_a_chip_that_can_be_taken_away(viewer, project):
    Story(project)

    page = search(viewer, project, 'agent:travel-agent age<2h "two words"')

    chips = text(page).partition('class="chips"')[2].partition("</ul>")[0]
    assert "<code>age<2h</code>" in chips
    rest = quote('agent:travel-agent "two words"', safe="")
    assert f'href="{address(project)}?q={rest}"' in chips


@pytest.mark.parametrize(
    ("typed", "said", "marked"),
    [
        ("agnet:travel", "Did you mean agent:travel?", "agnet:travel"),
        ("status:active state.n", "needs = or :", " "),
        ("user:u1 <b>:x", None, None),
        ('"open', "not closed", '"open'),
    ],
)
def test_a_typo_is_told_at_its_place_and_lists_nothing(
    viewer, project, typed, said, marked
):
    story = Story(project)

    page = search(viewer, project, typed)

    if said is None:
        assert page.status_code == 200
        assert listed(page) == []
        return
    assert page.status_code == 400
    assert said in text(page)
    assert f"<mark>{marked}</mark>" in text(page)
    assert story.id not in text(page)
    assert f'value="{html.escape(typed)}"' in page.content.decode()


def test_a_part_is_the_same_address_asked_by_htmx(viewer, project):
    story = Story(project)

    part = viewer.get(
        address(project), {"q": "agent:travel-agent"}, headers={"HX-Request": "true"}
    )
    back = viewer.get(
        address(project),
        {"q": "agent:travel-agent"},
        headers={"HX-Request": "true", "HX-History-Restore-Request": "true"},
    )

    assert listed(part) == listed(back) == [story.id]
    assert "<html" not in text(part)
    assert "<html" in text(back)
    assert "HX-Request" in part["Vary"]


def test_a_typo_in_a_part_is_swapped_in_as_well(viewer, project):
    part = viewer.get(
        address(project), {"q": "agnet:x"}, headers={"HX-Request": "true"}
    )

    assert part.status_code == 200
    assert 'role="alert"' in text(part)


def test_a_session_id_leads_to_its_page(viewer, project):
    story = Story(project)

    assert search(viewer, project, f" {story.id} ")["Location"] == address(
        project, story.id
    )
    part = viewer.get(address(project), {"q": story.id}, headers={"HX-Request": "true"})
    assert part["HX-Redirect"] == address(project, story.id)


def test_a_trace_id_leads_to_its_version(viewer, project):
    story = Story(project).update({"a": 1}).update({"a": 2})
    trace = Version.objects.get(session_id=story.id, number=1).trace_id

    for typed in (trace, f"trace:{trace}"):
        found = search(viewer, project, typed)
        assert found["Location"] == address(project, story.id, "versions", 1)


def reasons(page):
    """What stands under each session of the list, as text."""
    found = re.findall(r'class="why".*?<ul>(.*?)</ul>', text(page), re.DOTALL)
    return [re.sub(r"<[^>]+>", "", one).strip() for one in found]


def test_an_id_is_found_and_the_result_says_as_what(viewer, project):
    story = Story(project, user_id="cust_3084", external_id="booking-TRV-48213")
    story.update({"a": 1}, external_id="step-3")
    Story(project, agent="refunds", user_id="u_1")

    for typed, said in {
        "cust_3084": "cust_3084 user cust_3084",
        "cust_30": "cust_30 user cust_3084",
        "travel": "travel agent travel-agent",
        "booking-TRV": "booking-TRV external id booking-TRV-48213",
        "step": "step external id step-3 · v1",
        story.id[:-1]: f"{story.id[:-1]} session {story.id}",
    }.items():
        page = search(viewer, project, typed)
        assert listed(page) == [story.id]
        assert reasons(page) == [said]
    alone = f'<a href="{address(project)}?q=user%3Acust_3084">user cust_3084</a>'
    assert alone in text(search(viewer, project, "cust_30"))


def test_a_word_that_is_an_id_too_is_found_as_both(viewer, project):
    story = Story(project, user_id="cust_3084")
    story.update({"a": 1}, reasoning="cust_3084 called")

    (said,) = reasons(search(viewer, project, "cust_3084"))

    assert "user cust_3084" in said
    assert "in the reasoning · v1" in said


def test_a_given_trace_leads_to_its_version_if_it_is_nothing_else(viewer, project):
    story = Story(project).update({"a": 1}, trace_id="A-17")

    alone = search(viewer, project, "A-17")
    part = viewer.get(address(project), {"q": "A-17"}, headers={"HX-Request": "true"})
    assert alone["Location"] == address(project, story.id, "versions", 1)
    assert part["HX-Redirect"] == alone["Location"]

    other = Story(project, ORDER, now=timezone.now())
    both = search(viewer, project, "A-17")
    assert listed(both) == [other.id, story.id]
    assert "trace A-17 · v1" in reasons(both)[1]


def test_an_unknown_id_says_how_far_was_looked(viewer, project):
    Story(project)

    page = text(search(viewer, project, "cust_9999"))

    assert "No session matches this search" in page
    assert re.search(r'href="[^"]*\?q=[^"]*">without ', page)
    assert "cust_9999: looked for in live sessions" in page
    assert f'href="{address(project)}?q=user%3Acust_9999"' in page


def test_the_id_of_a_deleted_session_is_one_link_away(viewer, project):
    story = Story(project, user_id="cust_3084").delete()

    page = text(search(viewer, project, "cust_3084"))

    assert story.id not in page
    there = re.search(r'href="([^"]+q=user%3Acust_3084)"', page)[1]
    assert listed(viewer.get(there)) == [story.id]


def test_hostile_ids_are_shown_as_text(viewer, project):
    Story(project, user_id="<b>cust</b>\u202e", external_id="<i>x")

    for typed in ('"<b>cust"', "<i>x"):
        page = search(viewer, project, typed)
        assert len(listed(page)) == 1
        assert "<b>cust" not in page.content.decode()
        assert "<i>x" not in page.content.decode()
        assert "\u202e" not in page.content.decode()


def test_somebody_elses_ids_lead_nowhere(viewer, project, other_project):
    theirs = Story(other_project).update({"a": 1})
    trace = Version.objects.get(session_id=theirs.id, number=1).trace_id

    for typed in (theirs.id, trace, "sess_" + "0" * 26):
        page = search(viewer, project, typed)
        assert page.status_code == 200
        assert listed(page) == []


def test_an_old_link_with_an_agent_goes_on_working(viewer, project):
    story = Story(project, agent="two words")
    Story(project)

    page = viewer.get(address(project), {"agent": "two words"}, follow=True)

    assert listed(page) == [story.id]


def test_lists_are_turned_round(viewer, project, monkeypatch):
    monkeypatch.setattr(queries, "PAGE", 2)
    now = timezone.now() - timedelta(days=1)
    first, second, third = (
        Story(project, now=now + timedelta(hours=n)) for n in range(3)
    )
    first.now = now + timedelta(hours=9)
    first.update({"a": 1})

    oldest = search(viewer, project, "", sort="oldest")
    changed = search(viewer, project, "", sort="changed")

    assert listed(oldest) == [first.id, second.id]
    assert listed(changed) == [first.id, third.id]
    for page, rest in ((oldest, third), (changed, second)):
        older = re.search(r'href="([^"]+)" rel="next"', text(page))[1]
        assert listed(viewer.get(older)) == [rest.id]


def test_a_place_in_another_order_is_refused(viewer, project):
    story = Story(project)
    for after in (story.id, "." + "9" * 20 + "-" + story.id):
        page = search(viewer, project, "", sort="changed", after=after)
        assert page.status_code == 400


def test_pages_of_a_search_follow_each_other(viewer, project, monkeypatch):
    monkeypatch.setattr(queries, "PAGE", 2)
    now = timezone.now() - timedelta(days=1)
    ids = [Story(project, ORDER, now=now + timedelta(hours=n)).id for n in range(3)]

    first = search(viewer, project, "A-17")
    older = re.search(r'href="([^"]+)" rel="next"', text(first))[1]
    second = viewer.get(older)

    assert listed(first) + listed(second) == ids[::-1]


def test_the_export_tells_why_and_runs_nothing(viewer, project):
    story = Story(project, {"x": "A-17"}, user_id="=cmd|' /C calc'!A0")

    answer = viewer.get(url("sessions_export", project), {"q": "A-17"})

    (row,) = csv.DictReader(io.StringIO(answer.content.decode()))
    assert row["session"] == story.id
    assert row["user"].startswith("'=cmd")
    assert "A-17" in row["why"]
    refused = viewer.get(url("sessions_export", project), {"q": "agnet:x"})
    assert refused.status_code == 400


def test_an_export_that_is_cut_says_so_in_its_last_line(viewer, project, monkeypatch):
    monkeypatch.setattr("apps.console.views.project.sessions.exporting.EXPORTED", 1)
    for _ in range(2):
        Story(project, {"x": "A-17"})
    where = url("sessions_export", project)

    first = viewer.get(where, {"q": "A-17"}).content.decode()
    *_, row, (last,) = csv.reader(io.StringIO(first))
    after = last.removesuffix(".").removeprefix("# Not all: more follow with after=")
    rest = viewer.get(where, {"q": "A-17", "after": after}).content.decode()

    (other,) = csv.DictReader(io.StringIO(rest))
    assert row[0] != other["session"]


def test_a_saved_view_is_exported_as_it_is_listed(viewer, project):
    now = timezone.now() - timedelta(days=1)
    moments = [now + timedelta(hours=n) for n in range(2)]
    wanted = [Story(project, user_id="u_17", now=one).id for one in moments]
    Story(project)
    kept = {"name": "Mine", "q": "user:u_17", "sort": "oldest"}
    viewer.post(url("save_view", project), kept)
    view, where = SavedView.objects.get(), url("sessions_export", project)

    answer = viewer.get(where, {"view": view.id})

    rows = csv.DictReader(io.StringIO(answer.content.decode()))
    assert [row["session"] for row in rows] == wanted
    assert viewer.get(where, {"view": "view_" + "0" * 26}).status_code == 404


def test_a_viewer_is_offered_no_boxes(viewer, project):
    Story(project)

    assert 'type="checkbox" name="session"' not in text(viewer.get(address(project)))


def test_a_search_is_kept_opened_and_deleted(operator, project):
    story = Story(project, user_id="u_17")
    Story(project)
    data = {"name": "Mine", "q": "user:u_17", "sort": "oldest", "is_shared": "on"}

    page = operator.post(url("save_view", project), data, follow=True)

    view = SavedView.objects.get()
    assert (view.query, view.sort, view.is_shared) == ("user:u_17", "oldest", True)
    assert listed(page) == [story.id]
    operator.post(url("open_with", project), {"view": view.id})
    assert Membership.objects.get().default_view == view
    assert listed(operator.get(address(project), follow=True)) == [story.id]
    assert len(listed(search(operator, project, ""))) == 2
    operator.post(url("delete_view", project, view.id))
    assert not SavedView.objects.exists()
    assert len(listed(operator.get(address(project)))) == 2


def test_a_search_that_cannot_be_read_is_not_kept(viewer, project):
    answer = viewer.post(url("save_view", project), {"name": "x", "q": "agnet:x"})

    assert answer.status_code == 400
    assert not SavedView.objects.exists()


def test_a_view_of_nobody_is_not_found(viewer, project):
    page = viewer.get(address(project), {"view": "view_" + "0" * 26})

    assert page.status_code == 404


def test_names_of_views_are_shown_as_text(viewer, project):
    viewer.post(url("save_view", project), {"name": "<b>x</b>", "q": ""})

    assert "<b>x" not in viewer.get(address(project), {"q": ""}).content.decode()


def test_what_is_found_is_shown_as_text(viewer, project):
    Story(project, {"<b>k</b>": "<i>v</i>\u202e A-17", "n": "A-17"})

    for typed in ("A-17", 'state."<b>k</b>"="<i>v</i>\\u202e A-17"'):
        page = search(viewer, project, typed)
        assert len(listed(page)) == 1
        raw = page.content.decode()
        assert "<b>k" not in raw
        assert "<i>v" not in raw
        assert "\u202e" not in raw


@pytest.mark.parametrize(
    "q", ['state.order.id="A-17"', "A-17", "ever:A-17 changed:state.order words:hurry"]
)
def test_more_results_take_no_more_queries_to_explain(viewer, project, q, monkeypatch):
    def n_queries():
        monkeypatch.setattr(bodies, "cache", Cache())
        with counted_queries() as sent:
            page = search(viewer, project, q)
        return len(sent), len(listed(page)), text(page).count("pointer=%2Forder%2Fid")

    def make():
        story = Story(project, ORDER)
        story.update({"order": {"id": "A-17", "n": 1}}, reasoning="In a hurry")

    make()
    n_queries()  # loads what a process loads once
    few, rows, places = n_queries()
    for _ in range(9):
        make()
    many, more_rows, more_places = n_queries()

    assert (rows, more_rows) == (1, 10)
    assert more_places == 10 * places > 0
    assert many == few


def pages_of(viewer, page):
    """Return which sessions each page lists, from this one to the last."""
    found = [listed(page)]
    while older := re.search(r'href="([^"]+)" rel="next"', text(page)):
        page = viewer.get(html.unescape(older[1]))
        assert page.status_code == 200
        found.append(listed(page))
    return found


@pytest.mark.parametrize("walk", [(3,), (1, 2), (1,) * 50])
@pytest.mark.parametrize("limit", [1, 2, 3, 50])
def test_every_session_stands_once_where_its_last_change_puts_it(
    viewer, project, monkeypatch, limit, walk
):
    monkeypatch.setattr(queries, "PAGE", limit)
    monkeypatch.setattr(session_search, "WALK", walk)
    now = timezone.now() - timedelta(days=1)
    stories = [Story(project, now=now + timedelta(hours=n)) for n in range(6)]
    for hour, place in enumerate((2, 0, 2, 2, 4), 10):
        stories[place].now = now + timedelta(hours=hour)
        stories[place].update({"a": hour})
    stories[1].now = now + timedelta(hours=20)
    stories[1].note("no change").label(0, "no-change")

    pages = pages_of(viewer, search(viewer, project, "", sort="changed"))

    wanted = [stories[place].id for place in (4, 2, 0, 5, 3, 1)]
    assert [one for page in pages for one in page] == wanted


def test_the_order_by_last_change_says_how_far_it_looked(viewer, project, monkeypatch):
    monkeypatch.setattr(session_search, "WALK", (2,))
    Story(project).update({"a": 1}).update({"a": 2})

    page = text(search(viewer, project, "user:nobody", sort="changed"))

    assert "Looked at 2 acts of the project on this page" in page
    assert 'rel="next"' in page
    assert session_search.SORTS["changed"] in text(viewer.get(address(project)))


@pytest.mark.parametrize(
    "typed",
    [
        " ".join(["refund"] * 60),
        " OR ".join(["refund"] * 200),
        "x " * 1_500,
        "refund OR",
        "/amount:20..10",
    ],
)
def test_what_is_too_much_is_told_with_the_text_kept(viewer, project, typed):
    story = Story(project, {"x": "refund"})

    page = search(viewer, project, typed)

    assert page.status_code == 400
    assert 'role="alert"' in text(page)
    assert f'value="{typed}"' in text(page)
    assert story.id not in text(page)


def test_what_changed_it_comes_before_what_only_mentioned_it(viewer, project):
    changed = Story(project, {"orders": {}}).update({"orders": {"A-17": {"n": 1}}})
    changed.update({"orders": {"A-17": {"n": 2}}}).update({"other": 1})
    holds = Story(project, {"orders": {"A-17": {"n": 1}}})
    said = Story(project).update({"n": 1}, reasoning="They asked for <b>A-17</b> twice")

    page = search(viewer, project, "A-17")

    assert listed(page) == [changed.id, holds.id, said.id]
    links = re.findall(r'<a href="([^"?]+)\?[^"]+" title="sess_', text(page))
    assert links[0] == address(project, changed.id, "versions", 2)
    assert links[2] == address(project, said.id, "versions", 1)
    assert "<q>They asked for &lt;b&gt;A-17&lt;/b&gt; twice</q>" in (
        page.content.decode()
    )


def test_rows_that_look_alike_stand_behind_the_first(viewer, project):
    about = {"title": "Cancel my flight", "user_id": "u_1"}
    now = timezone.now() - timedelta(days=1)
    alike = [
        Story(project, {"x": "A-17"}, now=now + timedelta(hours=n), **about)
        for n in range(3)
    ]
    other = Story(project, {"x": "A-17"}, title="Cancel my flight", user_id="u_2")

    page = search(viewer, project, "A-17")

    rows = text(page).split('<tr role="row"')
    assert "2 more look the same" in text(page)
    (row,) = [one for one in rows if "more look the same" in one]
    assert re.findall(r'title="(sess_\w+)"', row) == [alike[1].id, alike[0].id]
    assert set(listed(page)) == {one.id for one in (*alike, other)}
