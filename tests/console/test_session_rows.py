"""A session's row: what it is about, how it stands, its last change, its versions."""

import html
import re
from typing import Any

import pytest
from django.urls import reverse

from apps.accounts.models import Role
from apps.agents.models import Agent
from apps.timeline import operations as timeline
from apps.timeline.ledger.drafts import Step
from tests.accounts.make import make_member
from tests.console.make import KEY, STATE, Story, address, signed_in
from tests.console.test_narrowing import choices, listed, narrow

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "carol", Role.VIEWER))


def rows(page: Any) -> dict[str, str]:
    """Return the row of each session as markup, by its id."""
    found = re.findall(r"<tr role=\"row\".*?</tr>", page.content.decode(), re.DOTALL)
    named = [(re.search(r'title="(sess_\w+)">', one), one) for one in found]
    return {match[1]: one for match, one in named if match}


def part(row: str, name: str) -> str:
    """Return the words of one cell."""
    (cell,) = re.findall(rf'class="{name}">(.*?)</t[dh]>', row, re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", cell)).split())


def row_of(viewer, project, story) -> str:
    return rows(viewer.get(address(project)))[story.id]


def strip(row: str) -> str:
    (label,) = re.findall(r'class="ticks" role="img" aria-label="([^"]*)"', row)
    return html.unescape(label)


def say(story: Story, content: Any) -> Story:
    timeline.add_turn(
        session_id=story.id,
        exchange=timeline.Exchange(
            input={"type": "text", "content": content}, output={"content": "Sure."}
        ),
        step=Step(),
        act=story.act(KEY),
    )
    return story


def test_a_row_names_the_first_that_exists(viewer, project):
    told = {
        "Set": say(Story(project, {"objective": "O"}, title="Set"), "Said"),
        "O": say(Story(project, {"objective": "O"}, external_id="x-1"), "Said"),
        "Said": say(Story(project, external_id="x-2"), "Said"),
        "x-3": Story(project, external_id="x-3"),
    }
    bare = Story(project, {"seat": "1A"})

    found = rows(viewer.get(address(project)))

    for title, story in told.items():
        assert part(found[story.id], "title") == title
    expected = f"created: seat set to 1A, …{bare.id[-6:]}"
    assert part(found[bare.id], "title") == expected


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("\u202eright to left", "⟨U+202E⟩right to left"),
        (FAMILY * 20, FAMILY * 20),
        ("t" * 300, "t" * 300),
        ("two\nlines \x07", "two lines ␇"),
    ],
)
def test_a_title_cannot_become_markup_or_hide(viewer, project, title, shown):
    story = Story(project, title=title)

    page = viewer.get(address(project))
    (heading,) = re.findall(
        r"<h1 [^>]*>(.*?)</h1>",
        viewer.get(address(project, story.id)).content.decode(),
    )

    assert part(rows(page)[story.id], "title") == shown
    assert html.unescape(heading) == shown
    assert "<script>alert" not in page.content.decode()


def test_the_page_of_a_session_has_its_title_everywhere(viewer, project):
    story = Story(project, title="Rebook to Lisbon", external_id="TRV-1")

    text = viewer.get(address(project, story.id)).content.decode()

    assert '<h1 class="session-title">Rebook to Lisbon</h1>' in text
    assert re.search(r"<title>\s*Rebook to Lisbon · ", text)
    assert f'<span class="id" id="session-id">{story.id}</span>' in text
    assert "TRV-1" in text


def test_a_fork_shows_its_origins_title_with_its_own_mark(viewer, project):
    story = Story(project, title="The origin's")
    fork = story.fork(0)

    found = rows(viewer.get(address(project)))

    assert part(found[story.id], "title") == "The origin's"
    mark = f"Forked from {story.id} v0"
    assert part(found[fork], "title") == f"{mark} The origin's"


@pytest.mark.parametrize(
    ("act", "status"),
    [
        (lambda s: s, "active"),
        (lambda s: s.update({"escalated": True}), "waiting"),
        (lambda s: s.update({"dates": None}), "looks wrong"),
        (lambda s: s.update({"dates": None}).label(1, "known-good"), "active"),
        (lambda s: s.label(0, "known-good").update({"dates": None}), "looks wrong"),
        (
            lambda s: (
                s.update({"dates": None})
                .update({"n": 1})
                .label(2, "known-good")
                .rollback(1)
                .update({"n": 2})
            ),
            "looks wrong",
        ),
        (lambda s: s.review("failed"), "failed"),
        (lambda s: s.score("reward", 0), "failed"),
        (lambda s: s.score("reward", 0).review("fine"), "active"),
        (lambda s: s.review("failed").update({"dates": None}), "looks wrong"),
        (lambda s: s.update({"n": 1}).rollback(0).review("failed"), "failed"),
        (lambda s: s.review("failed").close(), "failed"),
        (lambda s: s.review("failed").pause(), "held"),
        (lambda s: s.review("failed").delete(), "deleted"),
        (lambda s: s.update({"dates": None}).rollback(0), "rolled back"),
        (lambda s: s.update({"dates": None}).rollback(0).update({"n": 1}), "active"),
        (lambda s: s.update({"dates": None}).pause(), "held"),
        (lambda s: s.close(), "closed"),
        (lambda s: s.update({"dates": None}).delete(), "deleted"),
    ],
)
def test_the_status_is_the_first_that_applies(viewer, project, act, status):
    story = act(Story(project))

    assert part(row_of(viewer, project, story), "state").endswith(status)
    page = viewer.get(address(project, story.id)).content.decode()
    (chip,) = re.findall(r'class="status-words">([^<]*)<', page)
    assert chip == status
    # Its facet says the same, and leads to it.
    ((name, (count, link)),) = choices(narrow(viewer, project))["Status"].items()
    assert (name, count) == (status, 1)
    assert listed(viewer.get(link)) == [story.id]


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (
            lambda s: s.update({"step": 2, "destination": None, "dates": None}),
            "v1 destination and dates lost (turned null); step set to 2",
        ),
        (lambda s: s.pause(), "v1 held by olga"),
        (lambda s: s.update({"n": 1}).rollback(0), "v2 rolled back to v0 by olga: “"),
        (lambda s: s.update({}), "v1 state unchanged"),
    ],
)
def test_the_last_change_is_told_in_words(viewer, project, act, words):
    story = act(Story(project))

    assert part(row_of(viewer, project, story), "last").startswith(words)


def test_the_strip_says_what_became_of_each_version(viewer, project):
    story = Story(project).update({"n": 1}).label(1, "known-good")
    story.update({"dates": None}).update({"n": 2}).rollback(1).update({"to": None})
    story.fork(5)

    assert strip(row_of(viewer, project, story)) == (
        "Versions: v0; v1 known good; v2 set aside, looked wrong; v3 set aside; "
        "v4 rollback; v5 forked, head"
    )


def test_the_strip_shows_the_newest_versions_and_that_there_are_older(viewer, project):
    story = Story(project)
    for n in range(16):
        story.update({"n": n})

    row = row_of(viewer, project, story)

    assert row.count("<g ") == 16
    assert strip(row).startswith("Versions: older versions, v1; v2; ")
    assert strip(row).endswith("; v16 head")


def test_the_newest_release_and_the_user_are_named(viewer, project):
    story = Story(project, user_id="u_17").update({"n": 1}, release="1.8.1")
    story.update({"n": 2})

    assert part(row_of(viewer, project, story), "whose") == "travel-agent 1.8.1 u_17"


def test_the_page_of_an_agent_shows_the_same_rows(viewer, project):
    story = Story(project, title="Rebook")
    agent = Agent.objects.get(external_id="travel-agent")
    page = reverse("console:agent_detail", args=[project.slug, agent.id])

    found = rows(viewer.get(page))

    assert part(found[story.id], "title") == "Rebook"
    assert STATE["destination"] in part(found[story.id], "last")
