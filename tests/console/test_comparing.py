"""What a page shows of two values: the difference, wherever it is in them."""

import pytest

from apps.accounts.models import Role
from apps.console.pages.session import (
    change_table,
    version_pane,
)
from apps.console.pages.session.change_table import sides
from apps.console.pages.session.differences import word_diff
from apps.diffs.changes import MISSING
from apps.timeline.bodies import CorruptBody
from apps.timeline.versions import kept_changes
from tests.accounts.make import make_member
from tests.console.make import Story, address, signed_in

LONG = "All rooms face the sea. " * 200
FAMILY = "👨\u200d👩\u200d👧"


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "carol", Role.VIEWER))


def text_of(client, where):
    answer = client.get(where)
    assert answer.status_code == 200, answer.content
    return answer.content.decode()


def different(side):
    return [piece.text for piece in side.pieces if piece.is_different]


def test_texts_that_differ_late_are_shown_where_they_differ():
    found = sides(f"{LONG}It is open today.{LONG}", f"{LONG}It is closed today.{LONG}")

    assert different(found.before) == ["open"]
    assert different(found.after) == ["closed"]
    assert found.differs_at == len(LONG) + len("It is ") + 1
    for side in (found.before, found.after):
        assert side.text.startswith("“ … ")
        assert side.text.endswith(" … ”")
        assert "face the sea. It is" in side.text
        assert len(side.text) < 300


def test_texts_that_differ_at_once_are_shown_from_their_beginning():
    found = sides("It is open today.", "It is closed today.")

    assert (found.before.text, found.differs_at) == ("“It is open today.”", None)


def test_what_was_added_at_the_end_of_a_long_text_is_shown():
    found = sides(LONG, f"{LONG}Breakfast included.")

    assert different(found.before) == []
    assert different(found.after) == ["Breakfast included."]


def test_a_word_is_found_in_megabytes():
    text = LONG * 500
    found = sides(f"{text}open {text}", f"{text}closed {text}")

    assert (different(found.before), different(found.after)) == (["open"], ["closed"])
    assert found.differs_at == len(text) + 1


def test_what_is_too_different_to_be_matched_begins_where_it_differs():
    found = sides(LONG + "a " * 20_000, LONG + "b " * 20_000)

    assert found.differs_at == len(LONG) + 1
    assert found.before.text.startswith("“ … ")
    assert "face the sea. a a a" in found.before.text
    assert "face the sea. b b b" in found.after.text
    assert len(found.before.text) < 2_000 + 300


def test_no_emoji_and_no_letter_is_taken_apart():
    boy = FAMILY.replace("👧", "👦")

    found = sides(f"The {FAMILY} e\u0301te\u0301", f"The {boy} e\u0301te")

    assert different(found.before) == [f"{FAMILY}", "e\u0301te\u0301"]
    assert different(found.after) == [f"{boy}", "e\u0301te"]


@pytest.mark.parametrize("length", range(word_diff.CONTEXT - 8, word_diff.CONTEXT + 1))
def test_no_emoji_is_cut_where_text_is_left_out(length):
    before = "x" * length + FAMILY + " y" * 100

    found = sides(f"{before}.1", f"{before}.2")
    folded = sides(f"1.{before}", f"2.{before}")

    for side in (found.before, folded.before):
        assert "\u200d" not in side.text.replace(FAMILY, "")
        assert "⟨" not in side.text


def test_large_lists_that_begin_alike_are_shown_where_they_differ():
    before = [{"n": n} for n in range(5_000)]
    after = [*before[:4_000], {"n": "other"}, *before[4_001:]]

    found = sides(before, after)

    assert found.before.text != found.after.text
    assert different(found.before) == ["4000"]
    assert different(found.after) == ['"other"']
    assert found.differs_at is None


def test_a_side_that_is_missing_stays_missing():
    found = sides(MISSING, LONG)

    assert found.before is None
    assert found.after.is_cut


def test_json_from_right_to_left_keeps_keys_before_values():
    shown = change_table.written({"שם": "גג"}).text

    assert shown == '{\u2068"שם"\u2069: \u2068"גג"\u2069}'


@pytest.fixture
def note(project):
    """A note of 4,817 characters of which one word changes near its end."""
    story = Story(project, {"note": f"{LONG}It is open today."})
    return story.update({"note": f"{LONG}It is closed today."})


def test_every_page_shows_where_a_long_text_differs(client, project, note):
    operator = signed_in(client, make_member(project, "olga", Role.OPERATOR))
    fork = note.fork(0)
    version = address(project, note.id, "versions", 1)
    pages = {
        "list": version,
        "side": f"{version}?view=side",
        "against": f"{version}?against=0",
        "preview": address(project, note.id, "versions", 0, "rollback"),
        "compare": f"/console/{project.slug}/compare?left={note.id}&right={fork}",
        "blame": f"{version}/blame?pointer=/note",
    }

    for name, where in pages.items():
        text = text_of(operator, where)
        assert "<b>open</b>" in text, name
        assert "<b>closed</b>" in text, name
        assert "differs at character 4,807" in text, name
    words = text_of(operator, address(project, note.id))
    assert "note changed at character 4,807 from …" in words
    assert "It is closed today." in words


def test_what_the_append_kept_shows_it_too(viewer, project, note, monkeypatch):
    monkeypatch.setattr(version_pane, "parsed_states", corrupt)

    text = text_of(viewer, address(project, note.id, "versions", 1))

    assert "as they were noted when the version was written" in text
    assert "<b>open</b>" in text
    assert "<b>closed</b>" in text
    assert "differs at character 4,807" in text


def corrupt(*versions):
    raise CorruptBody


def test_the_api_says_where_a_kept_text_differs(api, project, note):
    path = f"/v1/sessions/{note.id}"

    (change,) = api().get(f"{path}/versions/1").body["changes"]

    assert change["differs_at"] == 4_807
    assert change["before"].endswith("face the sea. It is open today.")
    assert change["after"].endswith("face the sea. It is closed today.")


def test_blame_over_the_api_says_where_large_texts_differ(api, project):
    story = Story(project, {"note": f"{LONG * 5}open"}).update(
        {"note": f"{LONG * 5}closed"}
    )

    found = api().get(f"/v1/sessions/{story.id}/blame", {"pointer": "/note"}).body

    newest = found["data"][0]
    assert newest["shortened"]
    assert newest["differs_at"] == len(LONG) * 5 + 1
    assert (newest["before"][-4:], newest["after"][-6:]) == ("open", "closed")


def test_a_list_is_as_long_as_it_is(viewer, api, project):
    story = Story(project, {}).update({"items": [{"n": n} for n in range(10_000)]})
    real = story.update({"items": ["a", "b", "… 5 more"]})

    text = text_of(viewer, address(project, story.id))

    assert "items set to 10,000 items" in text
    assert "from 10,000 items to 3 items" in text
    path = f"/v1/sessions/{real.id}/versions"
    (set_to,) = api().get(f"{path}/1").body["changes"]
    assert set_to["after_length"] == 10_000


def test_an_earlier_release_kept_the_length_in_the_list_alone():
    kept = {"pointer": "/a", "kind": "added", "after": ["x", "y", "… 9998 more"]}
    version = type("Version", (), {"changes": [kept]})()

    (change,) = kept_changes(version)

    assert change.after.length == 10_000


def test_items_beyond_what_was_kept_are_not_counted_as_all(viewer, project):
    story = Story(project, {"log": []}).update({"log": [f"l{n}" for n in range(120)]})

    assert "50 or more items added to log; 120 changes in all" in text_of(
        viewer, address(project, story.id)
    )


def test_old_and_new_from_right_to_left_are_isolated(viewer, project):
    story = Story(project, {"שם": "שש"}).update({"שם": "גג"})
    where = address(project, story.id, "versions", 1)

    text = text_of(viewer, where)

    assert "<del><bdi>&quot;שש&quot;</bdi></del>" in text
    assert "<ins><bdi>&quot;גג&quot;</bdi></ins>" in text
    assert "changed from \u2068שש\u2069 to \u2068גג\u2069" in text


def test_states_of_two_megabytes_are_compared_on_every_page(client, project):
    operator = signed_in(client, make_member(project, "olga", Role.OPERATOR))
    text = "x" * 2_500_000
    story = Story(project, {"big": f"{text}.open"}).update({"big": f"{text}.closed"})
    fork = story.fork(0)
    version = address(project, story.id, "versions", 1)
    pages = [
        version,
        f"{version}?view=side",
        f"{version}?against=0",
        address(project, story.id, "versions", 0, "rollback"),
        f"/console/{project.slug}/compare?left={story.id}&right={fork}",
    ]

    for where in pages:
        shown = text_of(operator, where)
        assert "too large" not in shown, where
        assert "<b>open</b>" in shown, where
        assert "<b>closed</b>" in shown, where
        assert "differs at character 2,500,002" in shown, where
