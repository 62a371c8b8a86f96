"""What a session's page says first: what looks wrong since when, and the way back."""

import re

import pytest

from apps.accounts.models import Role
from apps.console.pages.session import verdict
from apps.timeline.queries import MOST_FLAGGED
from tests.accounts.make import make_member
from tests.console.make import Story, address, signed_in

LOST = {"dates": None}


@pytest.fixture
def see(client, project):
    operator = signed_in(client, make_member(project, role=Role.OPERATOR))
    return lambda *rest: operator.get(address(project, *rest)).content.decode()


def verdict_of(page):
    """Return the text of the verdict, and where its button leads."""
    box = re.search(r'aria-label="Verdict">(.*?)</div>', page, re.DOTALL)
    if box is None:
        return None, None
    leads = re.search(r'class="button[^"]*" href="([^"]+)"', box[1])
    return " ".join(re.sub(r"<[^>]*>", "", box[1]).split()), leads and leads[1]


def test_it_says_since_when_and_leads_back_to_what_is_known_good(see, project):
    story = Story(project).update({"n": 1}).label(1, "known-good")
    story.update({"n": 2}).update(LOST).update({"n": 3})

    words, leads = verdict_of(see(story.id))

    assert words.startswith("▲ Looks wrong since v3: turned null: ")
    assert "1 version built on it. Last known good is v1." in words
    assert leads == address(project, story.id, "versions", 1, "rollback")


def test_the_line_of_its_life_is_tinted_from_there_on(see, project):
    story = Story(project).update({"n": 1}).label(1, "known-good")
    story.update({"n": 2}).update(LOST)
    tinted = 'class="life-suspect flag" x="75.00%" y="0" width="25.00%"'

    assert tinted not in see(Story(project).update({"n": 1}).id)
    page = see(story.id)
    assert tinted in page
    assert ">suspect since v3<" in page
    assert "life-suspect" not in see(story.rollback(1).id)


def test_without_a_label_it_leads_to_before_the_change(see, project):
    story = Story(project).update({"n": 1}).update(LOST)

    words, leads = verdict_of(see(story.id))

    assert "It is the head." in words
    assert "known good" not in words
    assert "Roll back to before this change…" in words
    assert leads == address(project, story.id, "versions", 1, "rollback")


def test_what_was_before_a_version_that_is_known_good_is_forgiven(see, project):
    story = Story(project).update(LOST).update({"n": 1}).label(2, "known-good")

    assert verdict_of(see(story.id)) == (None, None)


def test_a_label_on_what_was_set_aside_forgives_nothing(see, project):
    story = Story(project).update(LOST).update({"n": 1}).label(2, "known-good")
    story.rollback(1)

    words, leads = verdict_of(see(story.id))

    assert words.startswith("▲ Looks wrong since v1:")
    assert leads == address(project, story.id, "versions", 0, "rollback")


def test_once_rolled_back_it_says_so_and_offers_to_undo(see, project):
    story = Story(project).update({"n": 1}).update(LOST).rollback(1, "dates are gone")

    words, leads = verdict_of(see(story.id))

    assert words.startswith("◆ Rolled back to v1 ")
    assert "dates are gone" in words
    undo = address(project, story.id, "versions", 2, "rollback") + "?undo_of=3"
    assert leads == undo


def test_undone_it_looks_wrong_again(see, project):
    story = Story(project).update({"n": 1}).update(LOST).rollback(1)
    story.undo(3)

    words, _ = verdict_of(see(story.id))

    assert words.startswith("▲ Looks wrong since v2:")


def test_an_undone_rollback_of_what_looked_well_says_nothing(see, project):
    story = Story(project).update({"n": 1}).rollback(0).undo(2)

    assert verdict_of(see(story.id)) == (None, None)


def test_nothing_is_said_where_nothing_looks_wrong(see, project):
    assert verdict_of(see(Story(project).update({"n": 1}).id)) == (None, None)


def test_a_viewer_reads_it_and_is_offered_nothing(client, project):
    story = Story(project).update(LOST)
    viewer = signed_in(client, make_member(project, role=Role.VIEWER))

    words, leads = verdict_of(viewer.get(address(project, story.id)).content.decode())

    assert words.startswith("▲ Looks wrong since v1:")
    assert leads is None


def test_hostile_words_are_text_in_it(see, project):
    story = Story(project, {"<i>k</i>": "<script>"}).update({"<i>k</i>": None})

    page = see(story.id)

    assert "<script>" not in page.partition('aria-label="Verdict"')[2]
    assert "&lt;i&gt;k&lt;/i&gt;" in page


def test_there_is_one_filled_rollback_button(see, project):
    story = Story(project).update({"n": 1}).update(LOST)

    for rest in ((story.id,), (story.id, "versions", 0)):
        assert see(*rest).count('class="button rollback"') == 1


NOTHING = "Nothing looks wrong: no version that counts"
FOUND = "was found to have lost anything"


@pytest.mark.parametrize(
    "act",
    [
        lambda s: s,
        lambda s: s.update({"n": 1}),
        lambda s: s.update({"n": 1}).close(),
        lambda s: s.update(LOST).rollback(0).update({"n": 1}),
    ],
    ids=["new", "changed", "closed", "rolled back and gone on"],
)
def test_where_nothing_looks_wrong_the_line_says_what_was_looked_at(see, project, act):
    page = see(act(Story(project)).id)

    assert verdict_of(page) == (None, None)
    assert f"{NOTHING} {FOUND}" in page


def test_it_says_since_which_version_that_is_known_good(see, project):
    story = Story(project).update(LOST).label(1, "known-good").update({"n": 1})

    assert f"{NOTHING} since v1, which is known good, {FOUND}" in see(story.id)


@pytest.mark.parametrize(
    "act",
    [
        lambda s: s.update(LOST),
        lambda s: s.update({"n": 1}).rollback(0),
        lambda s: s.update({"escalated": True}),
        lambda s: s.update({"n": 1}).pause(),
        lambda s: s.review("failed"),
        lambda s: s.score("reward", 0),
        lambda s: s.delete(),
    ],
    ids=["lost", "rolled back", "waiting", "held", "failed", "scored", "deleted"],
)
def test_where_something_is_up_it_does_not_say_so(see, project, act):
    assert "Nothing looks wrong" not in see(act(Story(project)).id)


def test_where_more_is_flagged_than_was_read_nothing_is_called_well():
    many = list(range(1, MOST_FLAGGED + 1))
    live, good = [range(0, MOST_FLAGGED + 2)], [MOST_FLAGGED + 1]

    assert verdict.all_well("active", many, good, live) is None
    assert verdict.all_well("active", many[1:], good, live) is not None
