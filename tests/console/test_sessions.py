"""The list of sessions: who sees it, in which order, filtered, page by page."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.accounts.models import Role
from apps.console import queries
from tests.accounts.make import make_member
from tests.console.make import Story, address, counted_queries, signed_in


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "carol", Role.VIEWER))


def shown(page, *stories):
    """The given sessions' names, in the order in which the page shows them."""
    text = page.content.decode()
    places = {story: text.find(f'title="{story.id}">') for story in stories}
    return sorted((s for s in stories if places[s] >= 0), key=places.get)


def test_it_shows_sessions_newest_first_to_a_viewer(viewer, project):
    now = timezone.now()
    old = Story(project, now=now - timedelta(hours=2), user_id="u_17")
    new = Story(project, agent="refunds", now=now - timedelta(hours=1))

    page = viewer.get(address(project))

    assert page.status_code == 200
    assert shown(page, old, new) == [new, old]
    assert "u_17" in page.content.decode()
    assert "refunds" in page.content.decode()


def test_it_shows_what_became_of_a_session(viewer, project):
    story = Story(project).update({"dates": None}).rollback(0)
    fork = story.fork(1)

    text = viewer.get(address(project)).content.decode()

    assert address(project, story.id, "versions", 2) in text
    assert address(project, fork) in text
    assert address(project, story.id, "versions", 1) in text
    assert "rolled back to v0 by olga: “wrong turn”" in text
    assert 'class="status status-rolled"' in text


def test_people_see_deleted_and_expired_sessions_marked_as_such(viewer, project):
    now = timezone.now() - timedelta(hours=2)
    deleted = Story(project, now=now).delete()
    expired = Story(project, now=now, ttl_seconds=60)

    page = viewer.get(address(project))

    assert set(shown(page, deleted, expired)) == {deleted, expired}
    assert 'class="status status-deleted"' in page.content.decode()
    assert 'class="status status-expired"' in page.content.decode()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("q=agent:refunds", "refund"),
        ("q=user:u_17", "trip"),
        ("q=agent:refunds+user:u_17", ""),
        ("q=status:deleted", "gone"),
        ("q=status:expired", "late"),
        ("q=status:active+agent:travel-agent", "trip"),
        ("q=state.destination=NYC+user:u_17", "trip"),
    ],
)
def test_filters_narrow_the_list(viewer, project, query, expected):
    now = timezone.now() - timedelta(hours=2)
    stories = {
        "trip": Story(project, user_id="u_17", now=now),
        "refund": Story(project, agent="refunds", now=now),
        "gone": Story(project, now=now).delete(),
        "late": Story(project, ttl_seconds=60, now=now),
    }

    page = viewer.get(f"{address(project)}?{query}")

    found = shown(page, *stories.values())
    assert found == ([stories[expected]] if expected else [])
    assert ("No session matches" in page.content.decode()) == (not expected)


@pytest.mark.parametrize(
    "query",
    [
        "q=status:odd",
        "after=1",
        "q=agent:a%00b",
        "sort=best",
        "agent=a%00b",
        "view=1",
    ],
)
def test_a_filter_that_means_nothing_is_refused(viewer, project, query):
    story = Story(project)

    page = viewer.get(f"{address(project)}?{query}", follow=True)

    assert page.status_code == 400
    assert shown(page, story) == []
    assert 'role="alert"' in page.content.decode()


def test_older_sessions_are_one_link_away_and_keep_the_filter(
    viewer, project, monkeypatch
):
    monkeypatch.setattr(queries, "PAGE", 2)
    now = timezone.now() - timedelta(days=1)
    stories = [Story(project, now=now + timedelta(minutes=n)) for n in range(3)]
    oldest, middle, newest = stories

    search = "?q=agent%3Atravel-agent"
    first = viewer.get(f"{address(project)}{search}")
    second = viewer.get(f"{address(project)}{search}&after={middle.id}")

    assert shown(first, *stories) == [newest, middle]
    assert f"{search}&amp;after={middle.id}" in first.content.decode()
    assert shown(second, *stories) == [oldest]
    assert 'rel="next"' not in second.content.decode()


def test_an_empty_project_shows_how_to_fill_it(viewer, project):
    page = viewer.get(address(project), headers={"Host": "localhost:8123"})

    text = page.content.decode()
    assert "There are no sessions in this project yet." in text
    assert "curl -X POST http://localhost:8123/v1/sessions" in text


def test_names_cannot_become_markup_or_hide_characters(viewer, project):
    Story(project, agent="<script>alert(1)</script>\u202e", user_id="<b>\u200b")

    text = viewer.get(address(project)).content.decode()

    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;⟨U+202E⟩" in text
    assert "&lt;b&gt;⟨U+200B⟩" in text
    assert "\u202e" not in text
    assert "\u200b" not in text


def test_another_projects_sessions_are_not_there(viewer, project, other_project):
    story = Story(other_project)

    assert shown(viewer.get(address(project)), story) == []


def test_a_stranger_finds_nothing(client, project, other_project):
    client = signed_in(client, make_member(other_project, "mallory"))

    assert client.get(address(project)).status_code == 404


def test_anonymous_people_sign_in_first(client, project):
    answer = client.get(address(project))

    assert answer.status_code == 302
    assert answer["Location"].endswith(f"?next={address(project)}")


def test_it_is_only_read(viewer, project):
    assert viewer.post(address(project)).status_code == 405


def test_the_number_of_queries_does_not_grow_with_the_rows(viewer, project):
    def n_queries():
        with counted_queries() as sent:
            assert viewer.get(address(project)).status_code == 200
        return len(sent)

    for n in range(2):
        Story(project, agent=f"agent-{n}").fork(0)
    n_before = n_queries()
    for n in range(2, 4):
        Story(project, agent=f"agent-{n}").fork(0)

    # Who is signed in (2), their membership, the sessions, their newest versions,
    # their titles, whom people are asked for, the saved views; what waits in the
    # sidebar (4).
    assert n_queries() == n_before == 12
