"""Long texts side by side: whole, line by line, nothing lost."""

import re

import pytest

from apps.accounts.models import Role
from apps.console.pages.session.differences import text_sides
from tests.accounts.make import make_member
from tests.console.make import Story, address, signed_in


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "vera", Role.VIEWER))


def side(found, name):
    """Write one side of a page as the text that a person reads."""
    lines = []
    for line in found.lines:
        pieces = getattr(line, name)
        lines += line.folded
        if pieces is not None:
            lines.append("".join(piece.text for piece in pieces))
    return lines


def marked(found, name):
    return [
        piece.text
        for line in found.lines
        for piece in (getattr(line, name) or ())
        if piece.is_different and not line.is_same
    ]


def test_both_texts_are_whole_and_the_words_that_differ_marked():
    lines = [f"Line {n} of the policy" for n in range(300)]
    other = [*lines[:150], "Line 150 of the new policy", *lines[151:], "The end"]

    found = text_sides.text_sides("\n".join(lines), "\n".join(other))

    assert side(found, "left") == lines
    assert side(found, "right") == other
    assert "".join(marked(found, "right")).replace(" ", "") == "newTheend"
    assert len(found.lines) < 30
    assert not found.is_cut


def test_a_text_of_one_line_is_broken_where_sentences_end():
    before, after = "One. Two. Three.", "One. Zwei. Three."

    found = text_sides.text_sides(before, after)

    assert side(found, "left") == ["One.", "Two.", "Three."]
    assert side(found, "right") == ["One.", "Zwei.", "Three."]


def test_a_word_of_100_kilobytes_is_shown_whole():
    before = "x" * 60_000 + "a" + "y" * 40_000
    after = "x" * 60_000 + "bc" + "y" * 40_000

    found = text_sides.text_sides(before, after)

    assert "".join(side(found, "left")) == before
    assert "".join(side(found, "right")) == after
    assert (marked(found, "left"), marked(found, "right")) == (["a"], ["bc"])


def test_what_only_one_has_is_on_its_side():
    found = text_sides.text_sides("", "a\nb")

    assert marked(found, "right") == ["a", "b"]
    assert marked(found, "left") in ([], [""])


def test_many_lines_come_in_pages():
    before = "\n".join(f"a{n}" for n in range(2_500))
    after = "\n".join(f"b{n}" for n in range(2_500))

    first = text_sides.text_sides(before, after)
    last = text_sides.text_sides(before, after, start=2_000)

    assert (first.start, first.end, first.count) == (0, 1_000, 2_500)
    assert side(last, "right")[-1] == "b2499"


def test_longer_texts_say_that_they_go_on():
    found = text_sides.text_sides("x " * 200_000, "y")

    assert found.is_cut


def test_a_changed_text_leads_to_both_sides(viewer, project):
    story = Story(project, {"policy": "Old. " + "Same sentence. " * 8_000})
    story.update({"policy": "New <b>. " + "Same sentence. " * 8_000})
    version = address(project, story.id, "versions", 1)

    pane = viewer.get(version).content.decode()
    page = viewer.get(f"{version}/value?pointer=/policy&against=0").content.decode()

    assert "/value?pointer=%2Fpolicy&amp;against=0" in pane
    assert "8,000" in page or "7,9" in page
    assert "<b>." not in page
    assert "&lt;b&gt;" in page


def test_an_item_that_moved_is_compared_with_itself(viewer, project):
    notes = [{"id": n, "text": f"Note {n}. " * 60} for n in (1, 2)]
    story = Story(project, {"notes": notes})
    story.update(
        {
            "notes": [
                {"id": 0, "text": "New"},
                notes[0],
                {**notes[1], "text": "Last. " * 60},
            ]
        }
    )
    version = address(project, story.id, "versions", 1)

    page = viewer.get(f"{version}/value?pointer=/notes/2/text&against=0")

    sides = re.findall(r"<(del|ins)>(.*?)</\1>", page.content.decode(), re.DOTALL)
    read = {name: re.sub(r"<[^>]+>", "", text) for name, text in sides}
    assert read == {"del": "Note 2.", "ins": "Last."}


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("pointer=/n&against=0", 400),
        ("pointer=/nothing&against=0", 404),
        ("pointer=/text&against=7", 404),
        ("pointer=/text&against=x", 400),
        ("pointer=/text&against=0&of=sess_1", 400),
        ("pointer=/added&against=0", 400),
    ],
)
def test_what_is_no_text_on_both_sides_is_refused(viewer, project, query, status):
    story = Story(project, {"n": 1, "text": "a"}).update({"text": "b", "added": "c"})
    version = address(project, story.id, "versions", 1)

    assert viewer.get(f"{version}/value?{query}").status_code == status


def test_all_changes_of_5000_keys_can_be_read(viewer, project):
    story = Story(project, {f"k{n:04}": n for n in range(5_000)})
    story.update({f"k{n:04}": -n - 1 for n in range(5_000)})
    version = address(project, story.id, "versions", 1)

    first = viewer.get(version).content.decode()
    last = viewer.get(f"{version}?start=4800").content.decode()
    beside = viewer.get(f"{version}?start=4800&view=side").content.decode()

    assert "Changes 1 to 200 of 5,000" in first
    assert "start=200" in first
    assert "Changes 4,801 to 5,000 of 5,000" in last
    for page in (last, beside):
        assert "/k4999" in page
        assert 'id="c5000"' in page
    assert "4,800 changes on another page" in beside
