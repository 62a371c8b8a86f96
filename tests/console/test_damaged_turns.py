"""A turn whose content is not what was written is said to be so, and nothing else.

Each way of damaging it is one that a disk has: a flipped bit, a lost page, a number
that is another one.
"""

from random import Random

import pytest

from apps.accounts.models import Role
from apps.core import sql
from apps.timeline import projection
from apps.timeline.models import Turn
from tests.accounts.make import make_member
from tests.console.make import HTML, Story, address, signed_in
from tests.timeline.damage import Place, damage, flipped

UNREADABLE = "What is stored of this turn is not what was written, so it is not shown."
COLUMNS = ["data", "size", "codec"]


@pytest.fixture
def operator(client, project):
    return signed_in(client, make_member(project, "bob", Role.OPERATOR))


@pytest.fixture
def trip(project):
    """v1 updated; three turns reported a tool call each, the second one is damaged."""
    story = Story(project).update({"budget": 1200})
    return story.call("book").call("charge").call("notify")


def damage_turn(trip, column="data", number=2):
    turn = Turn.objects.of_session(trip.id).get(turn_number=number)
    value = getattr(turn, column)
    value = bytes(value) if column == "data" else value
    place = Place("timeline_turn", trip.id, number, column, value)
    damage(place, flipped(Random(7), value))


def text_of(client, where):
    answer = client.get(where, headers=HTML)
    assert answer.status_code == 200, answer.content
    return answer.content.decode()


@pytest.mark.parametrize("column", COLUMNS)
def test_the_timeline_says_so_at_the_turn_and_shows_the_others(
    operator, project, trip, column
):
    damage_turn(trip, column)

    text = text_of(operator, address(project, trip.id))

    assert text.count(UNREADABLE) == 1
    assert text.index("turn 2") < text.index(UNREADABLE) < text.index("turn 1")
    assert "book()" in text
    assert "charge" not in text
    assert "notify()" in text


@pytest.mark.parametrize("column", COLUMNS)
def test_so_does_the_tab_of_its_version(operator, project, trip, column):
    damage_turn(trip, column)

    tab = address(project, trip.id, "versions", 1) + "?tab=turns"
    text = text_of(operator, tab)

    pane = text[text.index('id="turns-title"') :]
    assert pane.count(UNREADABLE) == 1
    assert "Tell whoever runs this installation" in pane
    assert "The stored state is not the one that was written" not in text
    assert "book" in pane
    assert "charge" not in pane
    assert "notify" in pane


def test_parts_that_are_not_those_of_a_turn_are_no_turn(operator, project, trip):
    (body,) = sql.rows(
        "SELECT codec, data, size FROM timeline_body"
        " WHERE session_id = %s AND number = 0",
        [trip.id],
    )
    for column in COLUMNS:
        place = Place("timeline_turn", trip.id, 2, column, None)
        damage(place, getattr(body, column))

    assert UNREADABLE in text_of(operator, address(project, trip.id))


def test_a_damaged_first_turn_stops_neither_lists_nor_the_projector(
    operator, project, trip
):
    damage_turn(trip, number=1)
    pages = (f"/console/{project.slug}/sessions", address(project, trip.id))

    for page in pages:
        assert trip.id in text_of(operator, page)
    assert projection.project_all(now=trip.now) > 0
    for page in pages:
        assert trip.id in text_of(operator, page)


def test_a_preview_does_not_say_that_it_knows_all_calls(operator, project, trip, api):
    path = f"/v1/sessions/{trip.id}/rollback/preview?version=0"
    whole = api().get(path).body
    damage_turn(trip)

    told = api().get(path).body

    assert [call["name"] for call in whole["tool_calls"]] == [
        "book",
        "charge",
        "notify",
    ]
    assert whole["tool_calls_truncated"] is False
    assert [call["name"] for call in told["tool_calls"]] == ["book", "notify"]
    assert told["tool_calls_truncated"] is True
    page = text_of(operator, address(project, trip.id, "versions", 0, "rollback"))
    assert "notify" in page
    assert "charge" not in page


@pytest.mark.parametrize(
    ("table", "path"),
    [
        ("timeline_body", "versions/1"),
        ("timeline_body", "versions?include_state=true"),
        ("timeline_turn", "turns"),
        ("timeline_turn", "history"),
    ],
)
def test_the_api_refuses_a_list_with_it_as_one_with_a_damaged_version(
    trip, api, table, path
):
    damage(Place(table, trip.id, 1, "data", None), b"charge")

    answer = api().get(f"/v1/sessions/{trip.id}/{path}")

    assert answer.status == 500
    assert answer.code == "internal_error"
    assert b"charge" not in answer.content
