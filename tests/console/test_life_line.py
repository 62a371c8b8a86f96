"""The line of a session's life, and what the sidebar counts."""

import re

import pytest

from apps.accounts.models import Role
from apps.console.pages.drawings.life_line import MOST, WHOLE, telling_numbers
from apps.timeline.queries import Bucket
from tests.accounts.make import make_member
from tests.console.make import Story, signed_in

NODES = re.compile(r'life-node mark-(\w+)( is-aside)?" x="([\d.]+)%" y="(\d+)"')


@pytest.fixture
def see(client, project):
    viewer = signed_in(client, make_member(project, role=Role.VIEWER))

    def get(*rest):
        where = "/".join(["/console", project.slug, *map(str, rest)])
        return viewer.get(where).content.decode()

    return get


def test_it_tells_live_set_aside_and_rolled_back_apart(see, project):
    story = Story(project).update({"n": 1}).update({"dates": None})
    story.rollback(1).label(1, "known-good").fork(1)

    page = see("sessions", story.id)

    marks = [(mark, bool(aside)) for mark, aside, _, _ in NODES.findall(page)]
    assert marks == [
        ("update", False),
        ("good", False),
        ("flag", True),
        ("rollback", False),
    ]
    places = [float(x) for _, _, x, _ in NODES.findall(page)]
    assert places == [12.5, 37.5, 62.5, 87.5]
    assert ">back to v1</text>" in page
    assert 'aria-label="v1, update: n set to 1, 1 fork"' in page
    # From v1, not from what was set aside.
    assert 'class="life-link life-rollback" x1="37.50%" y1="56" x2="87.50%"' in page
    assert page.count('class="life-box is-selected"') == 1


def test_one_version_has_no_line(see, project):
    assert "life-node" not in see("sessions", Story(project).id)


def test_quiet_runs_fold_to_their_number(see, project):
    story = Story(project)
    for n in range(40):
        story.update({"n": n})
    story.rollback(3)

    page = see("sessions", story.id, "versions", 7)

    found = NODES.findall(page)
    assert len(found) == MOST
    assert ">+6</text>" in page  # from v0 to v7, which is open
    assert ">v0</text>" in page
    assert ">v7</text>" in page
    assert ">v41</text>" in page


def test_of_a_long_life_what_matters_is_drawn_before_the_newest():
    def piece(low, **marks):
        none = {"flagged": None, "rollback": None, "fork": None}
        return Bucket(low=low, high=low + 99, size=1, **(none | marks))

    pieces = [piece(n * 100) for n in range(98)]
    pieces += [piece(9_800, flagged=9_850, rollback=9_870), piece(9_900, fork=9_901)]

    numbers = telling_numbers(pieces, head=9_999, wanted=[5_000])

    assert numbers == sorted(numbers)
    assert len(numbers) == MOST
    assert {0, 5_000, 9_850, 9_870, 9_901, 9_999} < set(numbers)


def test_a_known_good_version_is_drawn_of_a_healthy_session_too(see, project):
    story = Story(project)
    for n in range(40):
        story.update({"n": n})
    story.label(3, "known-good").label(9, "known-good")

    page = see("sessions", story.id)

    drawn = [mark for mark, _, _, _ in NODES.findall(page)]
    assert drawn.count("good") == 1
    assert len(drawn) == MOST
    assert ">v9</text>" in page
    assert "Looks wrong" not in page


def test_a_hostile_key_is_text_on_it(see, project):
    story = Story(project).update({"<b>x</b>": 1})

    page = see("sessions", story.id)

    assert "&lt;b&gt;x&lt;" in page
    assert "<b>x</b>" not in page


def test_the_sidebar_counts_what_waits_for_a_person(see, project):
    assert 'class="count"' not in see("agents")

    Story(project).pause()
    Story(project).update({"escalated": True})

    page = see("agents")
    counted = re.findall(r'class="count">(\S+?)<span class="unseen"> waiting', page)
    assert counted == ["2"]


def test_it_names_the_page_that_is_open(see, project):
    story = Story(project)

    for rest, title in (
        (["agents"], "Agents"),
        (["sessions", story.id], "Sessions"),
        (["sessions", story.id, "bisect"], "Sessions"),
    ):
        nav = see(*rest).partition('class="side-nav"')[2].partition("</nav>")[0]
        current = re.search(r'aria-current="page">.*?</svg>\s*([\w ]+?)\s*<', nav)
        assert current is not None
        assert current[1] == title


def test_what_only_administrators_may_see_is_not_offered_to_others(see, project):
    assert f'href="/console/{project.slug}/keys"' not in see("agents")


STAGES = re.compile(
    r"<title>step: (.*?)</title>.*? x=\"([\d.]+)%\".*? width=\"([\d.]+)%\""
)


def test_below_it_stands_in_which_step_the_agent_was(see, project):
    story = Story(project).update({"step": "<search>"}).update({"n": 1})
    story.update({"step": "book"}).rollback(2)

    found = STAGES.findall(see("sessions", story.id))

    assert [(name, float(x), float(width)) for name, x, width in found] == [
        ("&lt;search&gt;", 20.1, 39.8),
        ("book", 60.1, 19.8),
        ("&lt;search&gt;", 80.1, 19.8),
    ]


@pytest.mark.parametrize(
    "state", [{f"k{n}": n for n in range(300)}, {"step": 5}, {"step": None}, {}]
)
def test_a_step_that_is_not_known_or_no_text_is_not_told(see, project, state):
    story = Story(project).update({"x": 1}).update(state)

    assert "life-stage" not in see("sessions", story.id)


def test_what_is_folded_changes_the_step_too(see, project):
    story = Story(project)
    for n in range(MOST):
        story.update({"n": n})
    story.update({"step": "search"}).update({"n": -1}).update({"step": "book"})
    for n in range(MOST):
        story.update({"n": n})

    page = see("sessions", story.id)

    assert "+" in re.search(r'life-folded"[^>]*>([^<]*)', page)[1]
    assert [name for name, _, _ in STAGES.findall(page)] == ["book"]
    assert ">search<" not in page


def test_of_a_long_life_no_step_is_told(see, project):
    story = Story(project).update({"step": "search"})
    for n in range(WHOLE):
        story.update({"n": n})

    assert "life-stage" not in see("sessions", story.id)
