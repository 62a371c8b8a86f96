"""Narrowing a list of sessions: counts that are true, and links that lead to them."""

import html
import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Role, SavedView
from apps.console.pages.project import narrowing
from tests.accounts.make import make_member
from tests.console.make import Story, address, signed_in
from tests.metrics.make import roll_up
from tests.timeline import runs

NOW = timezone.now().replace(minute=30, second=0, microsecond=0) - timedelta(days=3)

WINDOW = re.compile(r'<rect class="window" x="([\d.]+)" y="0" width="([\d.]+)"')
BAR = re.compile(r'<rect class="bar" x="([\d.]+)"')


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "vera", Role.VIEWER))


@pytest.fixture
def stories(project):
    """Five sessions, two hours apart: of two agents, releases and users."""
    made = []
    for number in range(5):
        story = Story(
            project,
            {"n": number},
            agent="refunds" if number % 2 else "travel",
            user_id="u_1" if number < 2 else f"u_{number}",
            now=NOW + timedelta(hours=2 * number),
        )
        made.append(story.update({"n": 9}, release=f"2026.{number % 2}"))
    made[0].rollback(0)
    made[4].fork(1)
    return made


@pytest.fixture
def begin(api):
    return lambda state, **fields: runs.begin(api(), state, **fields)


def narrow(client, project, q="", **headers):
    url = reverse("console:sessions_narrow", args=[project.slug])
    return client.get(url, {"q": q}, headers=headers)


def text(page):
    return html.unescape(page.content.decode())


def listed(page):
    return re.findall(r'<a href="[^"]+" title="(sess_\w+)">', text(page))


def choices(page):
    """The values that are offered, by title: each with its count and its address."""
    found = {}
    part = text(page).partition('class="facets"')[2].partition("</main>")[0]
    for title, said in re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", part):
        links = re.findall(r'<a href="([^"]+)">([^<]+) <b>([\d,]+)</b>', said)
        found[title] = {name: (int(count), link) for link, name, count in links}
    return found


def bars(page):
    """What each bar says, and where it leads."""
    return re.findall(r'<a href="([^"]+)" aria-label="[^"]+UTC: ([^"]+)">', text(page))


@pytest.mark.parametrize("q", ["", "ever:9", "agent:travel", "-agent:nobody"])
def test_every_choice_leads_to_as_many_sessions_as_it_says(viewer, project, stories, q):
    page = narrow(viewer, project, q)

    found = choices(page)
    offered = [one for of_title in found.values() for one in of_title.values()]
    assert len(offered) >= 5
    for count, link in offered:
        assert len(listed(viewer.get(link))) == count, link
    assert ("Agent" in found) is (q != "agent:travel")


def test_a_saved_view_is_narrowed_as_it_is_listed(viewer, project, stories):
    view = save(viewer, project, "agent:travel")
    url = reverse("console:sessions_narrow", args=[project.slug])

    page = viewer.get(url, {"view": view.id})

    assert choices(page) == choices(narrow(viewer, project, "agent:travel"))
    assert "4 sessions" in text(page)
    assert viewer.get(url, {"view": "view_" + "0" * 26}).status_code == 404


def save(client, project, q):
    kept = {"name": "Mine", "q": q, "sort": "oldest"}
    client.post(reverse("console:save_view", args=[project.slug]), kept)
    return SavedView.objects.get()


def test_what_sessions_share_is_counted(viewer, project, stories):
    found = choices(narrow(viewer, project))

    counts = {
        title: {name: count for name, (count, _) in some.items()}
        for title, some in found.items()
    }
    assert counts == {
        "Agent": {"travel": 4, "refunds": 2},
        "Release": {"2026.0": 3, "2026.1": 2},
        "Status": {"active": 4, "forked": 1, "rolled back": 1},
        "User, more than once": {"u_1": 2, "u_4": 2},
        "What happened": {"rolled back": 1, "forked from another": 1},
    }
    assert "6 sessions" in text(narrow(viewer, project))


def test_every_bar_leads_to_the_sessions_that_began_there(viewer, project, stories):
    drawn = bars(narrow(viewer, project, "agent:travel"))

    assert [said for _, said in drawn].count("1 session, 1 rolled back") == 1
    told = [int(said.split()[0]) for _, said in drawn]
    found = [listed(viewer.get(link)) for link, _ in drawn]
    assert [len(some) for some in found] == told
    assert sum(told) == 4


def rows(page):
    """The table below the histogram: each row's cells, and where it leads."""
    body = text(page).partition("As a table")[2].partition("</table>")[0]
    return [
        (link, [int(one) for one in re.findall(r'<td class="number">(\d+)</td>', row)])
        for link, row in re.findall(
            r'<tr><th scope="row"><a href="([^"]+)">(.*?)</tr>', body
        )
    ]


def test_what_looks_wrong_and_was_rolled_back_is_counted_and_drawn(
    viewer, project, stories
):
    stories[1].update({"n": None})
    stories[0].update({"n": None})

    page = narrow(viewer, project)

    said = [one for _, one in bars(page)]
    assert "1 session, 1 rolled back, 1 looks wrong" in said
    assert "1 session, 1 looks wrong" in said
    told = {tuple(counts) for _, counts in rows(page)}
    assert told == {(1, 1, 1), (1, 0, 1), (1, 0, 0), (2, 0, 0)}
    assert text(page).count('class="bar wrong"') == 2
    # Of one that is both, one part of the bar.
    assert text(page).count('class="bar aside"') == 0


def test_the_table_says_what_the_bars_say(viewer, project, stories):
    page = narrow(viewer, project, "agent:travel")

    assert [link for link, _ in rows(page)] == [link for link, _ in bars(page)]
    for link, (count, *_) in rows(page):
        assert len(listed(viewer.get(link))) == count


@pytest.mark.parametrize("q", ["", "ever:9"])
def test_the_window_that_is_asked_for_is_marked_among_more(viewer, project, stories, q):
    start, end = (NOW + timedelta(hours=hours) for hours in (3, 7))
    span = f"created:{start:%Y-%m-%dT%H:%M:%SZ}..{end:%Y-%m-%dT%H:%M:%SZ}"

    page = narrow(viewer, project, f"{q} {span}".strip())

    assert "<strong>2 sessions</strong>" in text(page)
    # As much before and behind is drawn, and each bar leads to its sessions.
    drawn = bars(page)
    assert sum(int(said.split()[0]) for _, said in drawn) == 6
    for link, said in drawn:
        assert len(listed(viewer.get(link))) == int(said.split()[0])
    left, width = map(float, WINDOW.findall(text(page))[0])
    starts = map(float, BAR.findall(text(page)))
    assert len([x for x in starts if left <= x < left + width]) == 2


def test_without_a_time_nothing_is_marked(viewer, project, stories):
    assert WINDOW.findall(text(narrow(viewer, project))) == []


def test_of_a_window_among_too_many_the_window_alone_is_drawn(
    viewer, project, stories, monkeypatch
):
    monkeypatch.setattr(narrowing, "COUNTED", 2)
    start, end = (NOW + timedelta(hours=hours) for hours in (3, 7))
    span = f"created:{start:%Y-%m-%dT%H:%M:%SZ}..{end:%Y-%m-%dT%H:%M:%SZ}"

    page = narrow(viewer, project, span)

    assert sum(int(said.split()[0]) for _, said in bars(page)) == 2
    assert len(WINDOW.findall(text(page))) == 1


def test_many_sessions_are_told_as_of_the_last_closed_hour(
    viewer, project, stories, monkeypatch
):
    monkeypatch.setattr(narrowing, "COUNTED", 2)
    roll_up(NOW + timedelta(hours=7, minutes=40))
    since = (NOW - timedelta(hours=1)).isoformat().replace("+00:00", "Z")

    page = narrow(viewer, project, f"created>{since}")

    assert "2+ sessions" in text(page)
    assert "as of" in text(page)
    as_of = NOW.replace(minute=0) + timedelta(hours=8)
    assert f'datetime="{as_of.isoformat()}"' in text(page)
    agents = choices(page)["Agent, sessions begun"]
    assert {name: count for name, (count, _) in agents.items()} == {
        "travel": 2,
        "refunds": 2,
    }
    assert sum(int(said.split()[0]) for _, said in bars(page)) == 4
    by_release = choices(page)["Release, sessions active"]
    assert {name: count for name, (count, _) in by_release.items()} == {
        "2026.0": 2,
        "2026.1": 2,
    }


def test_of_a_search_that_finds_more_the_newest_are_counted(
    viewer, project, stories, monkeypatch
):
    monkeypatch.setattr(narrowing, "COUNTED", 2)

    said = text(narrow(viewer, project, "ever:9"))

    assert "2+ sessions, of which the newest 2 are counted here" in said
    assert "as of" not in said


@pytest.mark.parametrize(
    ("most", "said"),
    [
        (6, "6 sessions"),
        (5, "5+ sessions, of which the newest 5 are counted here"),
    ],
)
@pytest.mark.parametrize("q", ["created>2020-01-01 -review:failed", "-agent:nobody"])
def test_the_newest_are_counted_exactly_up_to_the_limit(
    viewer, project, stories, monkeypatch, q, most, said
):
    monkeypatch.setattr(narrowing, "COUNTED", most)
    monkeypatch.setattr("apps.timeline.search.finder.PROBED", 2)

    page = narrow(viewer, project, q)

    assert f"<strong>{said}</strong>" in text(page)
    agents = choices(page)["Agent"]
    # The oldest of them is of travel.
    assert (agents["travel"][0], agents["refunds"][0]) == (most - 2, 2)


def test_as_many_as_are_counted_are_not_told_by_the_hour(
    viewer, project, stories, monkeypatch
):
    monkeypatch.setattr(narrowing, "COUNTED", 6)

    said = text(narrow(viewer, project))

    assert "<strong>6 sessions</strong>" in said
    assert "as of" not in said


def test_who_expired_is_counted_as_expired(viewer, project, stories):
    gone = Story(project, now=NOW - timedelta(hours=1), ttl_seconds=60)

    statuses = choices(narrow(viewer, project))["Status"]

    assert {name: count for name, (count, _) in statuses.items()} == {
        "active": 4,
        "expired": 1,
        "forked": 1,
        "rolled back": 1,
    }
    assert listed(viewer.get(statuses["expired"][1])) == [gone.id]


def test_a_hundred_years_are_too_long_to_be_drawn(viewer, project, stories):
    q = "created:1926-01-01..2126-01-01"

    page = narrow(viewer, project, q)

    assert page.status_code == 200
    assert "A histogram covers at most 400 days" in text(page)
    assert bars(page) == []
    assert choices(page)["Agent"]["travel"][0] == 4
    assert len(listed(viewer.get(address(project), {"q": q}))) == 6


def test_it_is_a_part_for_the_list_and_a_page_without_javascript(
    viewer, project, stories
):
    assert "<html" not in text(narrow(viewer, project, **{"HX-Request": "true"}))
    assert "<html" in text(narrow(viewer, project))
    listed_page = text(viewer.get(address(project), {"q": "ever:9"}))
    assert f"{reverse('console:sessions_narrow', args=[project.slug])}?q=ever%3A9" in (
        listed_page
    )


def test_nothing_found_has_nothing_to_narrow(viewer, project):
    page = narrow(viewer, project, "agent:nobody")

    assert "0 sessions" in text(page)
    assert choices(page) == {}
    assert bars(page) == []


def test_a_typo_is_an_error_at_its_place(viewer, project):
    page = narrow(viewer, project, "agnet:x")

    assert page.status_code == 400
    assert "Did you mean agent:x?" in text(page)


def test_facets_of_work_lead_to_as_many_as_they_say(viewer, project, begin):
    failed = {"id": "a", "status": "failed"}
    one = begin({"n": 1}, tasks=[failed, {"id": "b"}], schema_version="1.0.0")
    begin({"n": 2}, tasks=[failed], schema_version="2.0.0")
    begin({"n": 3})
    one.turn(usage={"cost": "2.5", "currency": "USD"})

    page = narrow(viewer, project, "")

    found = choices(page)
    assert {name: n for name, (n, _) in found["Tasks"].items()} == {
        "pending": 1,
        "failed": 2,
    }
    assert {name: n for name, (n, _) in found["Schema"].items()} == {
        "1.0.0": 1,
        "2.0.0": 1,
    }
    assert {name: n for name, (n, _) in found["Cost"].items()} == {
        "over 1 USD": 1,
        "over 0.1 USD": 1,
        "over 0.01 USD": 1,
    }
    assert "2.5 USD" in text(viewer.get(found["Cost"]["over 1 USD"][1]))
    for title in ("Tasks", "Schema", "Cost"):
        for count, link in found[title].values():
            assert len(set(listed(viewer.get(link)))) == count


def test_of_many_sessions_the_facets_of_work_say_how_far_they_looked(
    viewer, project, begin, monkeypatch
):
    monkeypatch.setattr(narrowing, "COUNTED", 2)
    for n in range(4):
        begin({"n": n}, tasks=[{"id": n, "status": "failed"}])
    roll_up(timezone.now() + timedelta(hours=2))

    found = choices(narrow(viewer, project, ""))

    assert found["Tasks, newest 2"]["failed"][0] == 2
