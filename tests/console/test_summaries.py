"""Summaries in the conversation: in place of the turns they tell of, which open."""

import re

import pytest

from apps.accounts.models import Role
from apps.timeline.queries.conversation import turns
from tests.accounts.make import make_member
from tests.console.make import signed_in
from tests.console.test_conversation import Talk, heard, page_of

FOLD = re.compile(
    r'<h2 id="sum_.*?</h2>.*?</details>\s*(?:<p.*?</p>\s*)?</article>', re.S
)


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "carol", Role.VIEWER))


@pytest.fixture
def talk(api):
    """Six turns, each with a version of its own."""
    talk = Talk(api())
    for n in range(1, 7):
        talk.turn(f"heard {n}.", f"said {n}.", state_after={"n": n})
    return talk


def summarise(talk, first, last, text="They talked."):
    told = {"first_turn": first, "last_turn": last, "text": text}
    answer = talk.client.post(f"/v1/sessions/{talk.id}/summaries", told)
    assert answer.status == 201, answer.content
    return answer.body


def folds(text):
    """The text of each fold, and which turns are in it."""
    return [
        (
            re.search(r'class="message-text"[^>]*>(.*?)</p>', one, re.S)[1],
            re.findall(r"heard (\d)\.", one),
        )
        for one in FOLD.findall(text)
    ]


def test_turns_are_folded_under_what_was_told_of_them(viewer, project, talk):
    summarise(talk, 1, 2, "A greeting.")
    summarise(talk, 3, 4, "An <b>order</b>.")

    text = page_of(viewer, project, talk.id)

    assert folds(text) == [
        ("A greeting.", ["1", "2"]),
        ("An &lt;b&gt;order&lt;/b&gt;.", ["3", "4"]),
    ]
    assert heard(text) == [f"heard {n}." for n in range(1, 7)]
    assert "<summary>2 turns that it tells of</summary>" in text
    assert "<details open" not in text


def test_a_fold_is_open_where_the_address_leads_into_it(viewer, project, talk):
    summarise(talk, 1, 2)
    summarise(talk, 3, 4)

    text = page_of(viewer, project, talk.id, "?version=4")

    assert text.count("<details open><summary>2 turns that it tells of") == 1


def test_the_furthest_folds_and_others_stand_beside_it(viewer, project, talk):
    summarise(talk, 1, 2, "Short.")
    summarise(talk, 1, 4, "Longer.")

    text = page_of(viewer, project, talk.id)

    (fold,) = FOLD.findall(text)
    assert folds(text)[0][1] == [*"1234"]
    assert fold.index("Longer.") < fold.index("Other summaries") < fold.index("Short.")


def test_what_was_set_aside_folds_nothing(viewer, project, talk):
    kept = summarise(talk, 1, 2, "Kept.")
    summarise(talk, 1, 6, "Set aside.")
    talk.rollback(kept["version"])

    assert folds(page_of(viewer, project, talk.id)) == [("Kept.", ["1", "2"])]


def test_a_fold_over_several_pages_leads_behind_itself(
    viewer, project, talk, monkeypatch
):
    monkeypatch.setattr(turns, "TURNS", 2)
    summarise(talk, 1, 5)

    text = page_of(viewer, project, talk.id)

    assert folds(text)[0][1] == ["1", "2"]
    behind = re.search(r'href="[^"]*(\?source=turns&amp;after=[^"]*)">go on', text)[1]
    after = page_of(viewer, project, talk.id, behind.replace("&amp;", "&"))
    assert heard(after) == ["heard 6."]
    assert folds(after) == []
