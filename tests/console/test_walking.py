"""From a session of a list to the next one: "3 of 37", in the order of the list."""

import html
import re
from datetime import timedelta

import pytest
from django.urls import reverse

from apps.accounts.models import Role
from apps.console import queries
from apps.console.pages.session import walking
from tests.accounts.make import make_member
from tests.console.make import NOW, Story, address, signed_in
from tests.console.test_narrowing import listed


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "vera", Role.VIEWER))


@pytest.fixture
def stories(project):
    """Five sessions; the first and the last are of the agent `refunds`."""
    agents = ["refunds", "travel", "travel", "travel", "refunds"]
    made = [
        Story(project, {"n": n}, agent=one, now=NOW + timedelta(hours=n))
        for n, one in enumerate(agents)
    ]
    for story in made:
        story.update({"n": 9})
    return made


def text(page):
    return html.unescape(page.content.decode())


def links(page):
    """Where the rows of a list lead."""
    return re.findall(r'<a href="([^"]+)" title="sess_\w+">', text(page))


def walk(page):
    """What stands in the header: the place, and the links to its neighbours."""
    found = re.search(r'<nav class="neighbours walk".*?</nav>', text(page))
    if found is None:
        return None
    said = re.search(r"<span>(.*?)</span>", found[0])[1]
    return said, dict(re.findall(r'href="([^"]+)" rel="(\w+)"', found[0])[::-1])


def walked(viewer, page):
    """Follow the links from the first row to the end; return places and sessions."""
    url, places, found = links(page)[0], [], []
    while url:
        shown = viewer.get(url)
        said, neighbours = walk(shown)
        places.append(said)
        found.append(re.search(r"sess_\w{26}", url)[0])
        url = next((link for link, rel in neighbours.items() if rel == "next"), None)
    return places, found


@pytest.mark.parametrize("sort", ["", "oldest", "changed"])
@pytest.mark.parametrize("q", ["", "agent:travel", "ever:9"])
@pytest.mark.parametrize("size", [50, 2])
def test_the_links_go_through_the_list_in_its_order(
    viewer, project, stories, monkeypatch, q, sort, size
):
    url = reverse("console:sessions", args=[project.slug])
    page = viewer.get(url, {"q": q, "sort": sort})
    monkeypatch.setattr(queries, "PAGE", size)

    places, found = walked(viewer, page)

    n = 3 if q == "agent:travel" else 5
    assert places == [f"{place} of {n}" for place in range(1, n + 1)]
    assert found == listed_in(page)


def listed_in(page):
    return [re.search(r"sess_\w{26}", url)[0] for url in links(page)]


def test_what_changed_the_thing_comes_first_here_too(viewer, project):
    deed = Story(project, {"order": {"id": "A-17", "paid": False}})
    deed.update({"order": {"id": "A-17", "paid": True}})
    mention = Story(project, {"n": 1}).update({"n": 2}, reasoning="as for A-17")
    page = viewer.get(reverse("console:sessions", args=[project.slug]), {"q": "A-17"})
    assert listed_in(page) == [deed.id, mention.id]

    assert walked(viewer, page)[1] == [deed.id, mention.id]


def test_it_goes_back_as_well_and_to_the_list(viewer, project, stories):
    page = viewer.get(reverse("console:sessions", args=[project.slug]), {"q": "ever:9"})
    last = viewer.get(links(page)[-1])

    said, neighbours = walk(last)

    assert said == "5 of 5"
    assert list(neighbours.values()) == ["prev"]
    assert stories[1].id in next(iter(neighbours))
    (back,) = re.findall(r'<a href="([^"]+)">Sessions</a>', text(last))
    assert listed(viewer.get(back)) == listed(page)


def test_versions_and_filters_of_the_timeline_keep_the_list(viewer, project, stories):
    url = f"{address(project, stories[2].id)}?{walking.written('ever:9', '')}"

    page = viewer.get(url)
    (there,) = set(
        re.findall(r'class="version-number" href="([^"]+/0\?[^"]+)"', text(page))
    )

    assert walk(viewer.get(there))[0] == "3 of 5"
    assert '<input type="hidden" name="list" value="ever:9">' in text(page)


def test_of_more_than_are_walked_through_it_says_so(
    viewer, project, stories, monkeypatch
):
    monkeypatch.setattr(walking, "MOST", 2)
    for q in ("", "ever:9"):
        about = walking.written(q, "")
        newest = viewer.get(f"{address(project, stories[4].id)}?{about}")
        oldest = viewer.get(f"{address(project, stories[0].id)}?{about}")

        assert walk(newest)[0] == "1 of 2+"
        assert walk(oldest) is None


def test_a_session_that_the_list_does_not_have_has_no_place(viewer, project, stories):
    url = address(project, stories[0].id)

    assert walk(viewer.get(url)) is None
    assert walk(viewer.get(f"{url}?{walking.written('agent:travel', '')}")) is None


@pytest.mark.parametrize("about", ["list=agnet:x&order=newest", "order=best"])
def test_what_is_not_understood_is_refused(viewer, project, stories, about):
    page = viewer.get(f"{address(project, stories[0].id)}?{about}")

    assert page.status_code == 400
