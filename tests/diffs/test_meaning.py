"""What of a state means something to people: noise, drawn ids, first words."""

from typing import Any

import pytest

from apps.diffs.changes import Change, Kind
from apps.diffs.facets import facets, leaves
from apps.diffs.meaning.incidental import is_incidental
from apps.diffs.meaning.noise import NO_NOISE, noise_of


@pytest.mark.parametrize(
    ("pattern", "pointer", "is_covered"),
    [
        ("/clock", "/clock", True),
        ("/clock", "/clock/ticks/3", True),
        ("/clock", "/clocks", False),
        ("/clock", "/a/clock", False),
        ("/clock", "", False),
        ("/items/*/age", "/items/17/age", True),
        ("/items/*/age", "/items/17/age/days", True),
        ("/items/*/age", "/items/17", False),
        ("/items/*/age", "/items/17/name", False),
        ("/a~1b", "/a~1b", True),
        ("/a~1b", "/a/b", False),
        ("/clock", "/clock/~", False),
        ("/*", "/anything", True),
    ],
)
def test_a_pattern_covers_a_place_and_all_below(
    pattern: str, pointer: str, is_covered: bool
) -> None:
    assert noise_of([pattern]).covers(pointer) is is_covered


@pytest.mark.parametrize("pattern", ["", "clock", "/a~2"])
def test_what_is_no_place_is_no_pattern(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"pointer|whole state"):
        noise_of([pattern])


def test_changes_are_told_apart_and_none_is_lost() -> None:
    changes = [changed("/a"), changed("/clock"), changed("/b"), changed("/clock/x")]

    told, hidden = noise_of(["/clock"]).apart(changes)

    assert told == [changes[0], changes[2]]
    assert hidden == [changes[1], changes[3]]
    assert NO_NOISE.apart(changes) == (changes, [])


def changed(pointer: str, before: Any = 1, after: Any = 2) -> Change:
    return Change(pointer, Kind.CHANGED, before, after)


ONE, OTHER = "2026-03-01T12:00:00Z", "2026-03-02T09:30:11.5Z"
DRAWN = "6f1c3f7e-0f0c-4c8e-9d39-1d6a6f1f2b11"


@pytest.mark.parametrize(
    "change",
    [
        changed("/updated_at", ONE, OTHER),
        changed("/updatedAt", 1772366400, 1772366500),
        changed("/steps/3/elapsed", 0.25, 0.31),
        changed("/messages/0/id", DRAWN, DRAWN.replace("6", "7")),
        changed("/anything", DRAWN, DRAWN.replace("6", "7")),
        changed(
            "/calls/0/tool_call_id", "call_a8f3kd93kd0s8f7d", "call_b8f3kd93kd0s8f7d"
        ),
    ],
    ids=lambda one: one.pointer,
)
def test_times_and_drawn_ids_are_incidental(change: Change) -> None:
    assert is_incidental(change)


@pytest.mark.parametrize(
    "change",
    [
        changed("/departs_at", ONE, OTHER),
        changed("/flight_id", "UA123", "UA999"),
        changed("/order/id", "A-17", "A-18"),
        changed("/updated_at", ONE, None),
        changed("/updated_at", ONE, "soon"),
        changed("/created", True, False),
        changed("/city", "Rome", "Oslo"),
        Change("/id", Kind.REMOVED, DRAWN, None),
        Change("/trace_id", Kind.ADDED, None, DRAWN),
    ],
    ids=lambda one: one.pointer,
)
def test_what_people_know_or_one_side_alone_has_is_not(change: Change) -> None:
    assert not is_incidental(change)


def test_first_words_are_kept_of_messages_that_say_who_speaks() -> None:
    kept = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Move my flight"},
        {"role": "user", "content": "Please"},
    ]

    assert facets({"messages": kept})["opening"] == "Move my flight"
    assert leaves({"messages": [{"content": "Move"}, "my flight"]}).opening is None
    assert "opening" not in facets({"messages": kept[:1], "a": {"messages": kept}})
    assert "opening" not in facets({"messages": {"role": "user", "content": "Hi"}})
