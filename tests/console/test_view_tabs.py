"""View tabs of the list of sessions: each count is what its link lists."""

import html
import re

import pytest
from django.urls import reverse

from apps.accounts.models import Role, SavedView
from apps.console.pages import view_tabs
from tests.accounts.make import make_member
from tests.console.make import Story, address, signed_in

TAB = re.compile(
    r'<a href="([^"]+)"( aria-current="page")?>([^<]+?)(?: <small>([^<]+)</small>)?</a>'
)


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "vera", Role.VIEWER))


@pytest.fixture
def stories(project):
    """Four sessions: one lost its destination, one was rolled back, two are well."""
    made = [
        Story(project, {"destination": "Oslo", "n": n}, agent="travel")
        for n in range(4)
    ]
    made[0].update({"destination": None})
    made[1].update({"n": 9}).rollback(0)
    return made


def asked(client, project, **query):
    return client.get(reverse("console:session_views", args=[project.slug]), query)


def tabs(page):
    """Each tab's address, whether it is the current one, and its count, by name."""
    page = html.unescape(page.content.decode())
    nav = page.partition('aria-label="Views"')[2].partition("</nav>")[0]
    return {name: (url, bool(now), n) for url, now, name, n in TAB.findall(nav)}


def save(client, project, name, q, **more):
    url = reverse("console:save_view", args=[project.slug])
    client.post(url, {"name": name, "q": q, **more})
    return SavedView.objects.get(project=project, name=name)


def test_each_count_is_what_the_tab_lists(viewer, project, stories):
    save(viewer, project, "Of Oslo", 'state.destination="Oslo"')

    found = tabs(asked(viewer, project))

    counts = {name: n for name, (_, _, n) in found.items()}
    assert counts == {
        "All": "4",
        "Looks wrong": "1",
        "Waiting": "0",
        "Rolled back": "1",
        "Of Oslo": "3",
        "By meaning": "",
    }
    for name in ("All", "Looks wrong", "Waiting", "Rolled back", "Of Oslo"):
        page = viewer.get(found[name][0]).content.decode()
        listed = re.findall(r'<a href="[^"]+" title="(sess_\w+)">', page)
        assert len(listed) == int(counts[name])


def test_the_list_has_them_without_counts_and_says_where_these_are(
    viewer, project, stories
):
    page = viewer.get(reverse("console:sessions", args=[project.slug]), {"q": ""})

    assert [n for _, _, n in tabs(page).values()] == ["…"] * 4 + [""]
    assert address(project, "views") in page.content.decode()


@pytest.mark.parametrize(
    ("q", "current"),
    [("", "All"), ("status:waiting", "Waiting"), ("agent:travel", None)],
)
def test_the_current_tab_is_the_search_that_is_shown(
    viewer, project, stories, q, current
):
    page = viewer.get(reverse("console:sessions", args=[project.slug]), {"q": q})

    for found in (tabs(page), tabs(asked(viewer, project, q=q))):
        assert [name for name, (_, now, _) in found.items() if now] == (
            [current] if current else []
        )


def test_an_opened_view_is_current_even_if_it_asks_for_everything(
    viewer, project, stories
):
    view = save(viewer, project, "Mine", "")

    found = tabs(asked(viewer, project, view=view.id))

    assert found["Mine"][1:] == (True, "4")
    assert found["All"][1] is False


def test_more_than_are_counted_are_said_to_be_more(
    viewer, project, stories, monkeypatch
):
    monkeypatch.setattr(view_tabs, "COUNTED", 2)
    save(viewer, project, "Of Oslo", 'state.destination="Oslo"')

    found = tabs(asked(viewer, project))

    assert (found["All"][2], found["Of Oslo"][2]) == ("2+", "2+")
    assert found["Looks wrong"][2] == "1"


def test_a_view_that_is_not_understood_any_more_has_no_count(viewer, project, stories):
    save(viewer, project, "Old", "agent:travel")
    SavedView.objects.filter(project=project).update(query="status:unheard-of")

    found = tabs(asked(viewer, project))

    assert found["Old"][2] == ""
    assert found["All"][2] == "4"


def test_another_members_own_view_is_no_tab(viewer, project, stories):
    operator = signed_in(type(viewer)(), make_member(project, "olaf", Role.OPERATOR))
    save(operator, project, "His own", "agent:travel")
    save(operator, project, "Shared", "agent:travel", is_shared="on")

    assert set(tabs(asked(viewer, project))) >= {"Shared"}
    assert "His own" not in tabs(asked(viewer, project))


def test_only_the_first_saved_views_are_tabs(viewer, project, stories):
    for n in range(view_tabs.MOST_SAVED + 1):
        save(viewer, project, f"View {n}", "agent:travel")

    found = tabs(asked(viewer, project))

    assert f"View {view_tabs.MOST_SAVED - 1}" in found
    assert f"View {view_tabs.MOST_SAVED}" not in found


def test_a_view_of_nobody_is_unknown(viewer, project):
    assert asked(viewer, project, view=f"view_{'0' * 26}").status_code == 404


def test_a_search_that_is_too_long_is_refused(viewer, project):
    assert asked(viewer, project, q="a" * 2_001).status_code == 400
