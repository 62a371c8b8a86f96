"""What a support engineer reads about a version."""

from typing import Any

import pytest

from apps.diffs.compare import compare
from apps.diffs.summary import Importance, importance, sentences, summary
from apps.diffs.text import visible


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ({}, {"destination": "NYC"}, "destination set to NYC"),
        ({"dates": "May"}, {"dates": None}, "dates lost (turned null)"),
        ({"dates": None}, {"dates": "May"}, "dates set to May"),
        ({"messages": []}, {"messages": [{}, {}]}, "2 items added to messages"),
        ({"tags": ["a", "b"]}, {"tags": ["b"]}, "a removed from tags"),
        ({"to": "LAX"}, {}, "to removed (was LAX)"),
        (
            {"status": "open"},
            {"status": "refunded"},
            "status changed from open to refunded",
        ),
        (
            {"n": 1},
            {"n": "1"},
            "n changed from 1 (whole number) to 1 (text)",
        ),
        (
            {"plan": [{"id": 1}, {"id": 2}]},
            {"plan": [{"id": 2}, {"id": 1}]},
            "1 item moved within plan",
        ),
        ({"a": 1}, {"a": 1}, "state unchanged"),
        ({"a": {"b": 1}}, {"a": {}}, "a.b removed (was 1)"),
        (
            {"x": {"a": 1}},
            {"x": 5},
            "x changed from an object (a) (object) to 5 (whole",
        ),
    ],
)
def test_it_speaks_plainly(before: Any, after: Any, words: str) -> None:
    assert summary(compare(before, after)).startswith(words)


def test_it_says_how_much_it_leaves_out() -> None:
    many = {str(n): n for n in range(10)}

    assert summary(compare({}, many)).endswith("; 7 more changes")


def test_it_says_what_was_too_different_to_show() -> None:
    comparison = compare({"a": 1, "b": 1}, {"a": 2, "b": 2}, budget=1)

    assert summary(comparison) == "the state replaced (too different to show in detail)"


def test_hostile_text_is_short_and_visible() -> None:
    text = summary(compare({}, {"\u202eeman\x00": "line\nbreak\x1b[31m" + "x" * 9999}))

    assert "\u202e" not in text
    assert text.isprintable()
    assert len(text) < 200


def test_ordinary_text_of_any_language_stays_as_it_is() -> None:
    assert visible("Zürich, 東京, שלום") == "Zürich, 東京, שלום"
    assert visible("a\x00\x7f\u2066") == "a␀␡⟨U+2066⟩"


TRIP = {
    "step": 14,
    "updated_at": "2026-11-01T10:00:00Z",
    "status": "confirming",
    "total": 1284,
    "seat": "12C",
    "destination": "NYC",
    "dates": {"depart": "2026-12-26", "return": "2027-01-02"},
}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (
            {"step": 15, "destination": None, "dates": {"depart": None}},
            "destination and dates.depart lost (turned null); "
            "dates.return removed (was 2027-01-02); step changed from 14 to 15",
        ),
        (
            {"step": 15, "seat": "21A", "total": 1322},
            "total changed from 1284 to 1322; seat changed from 12C to 21A; "
            "step changed from 14 to 15",
        ),
        (
            {"step": 15, "seat": "21A", "status": "booked"},
            "status changed from confirming to booked; seat changed from 12C to 21A; "
            "step changed from 14 to 15",
        ),
        (
            {"updated_at": "2026-11-01T10:00:09Z", "seat": "21A"},
            "seat changed from 12C to 21A; updated_at changed",
        ),
        ({"step": 15}, "step changed from 14 to 15"),
        ({"step": None, "total": 9}, "step lost (turned null); total changed"),
    ],
)
def test_what_matters_leads(changed: Any, words: str) -> None:
    assert summary(compare(TRIP, TRIP | changed)).startswith(words)


@pytest.mark.parametrize(
    ("key", "before", "after", "rank"),
    [
        ("fare", 12, 13, Importance.MONEY),
        ("refundAmount", "12.00", "120.00", Importance.MONEY),
        ("totalTokens", 12, 13, Importance.ROUTINE),
        ("retry_count", 0, 1, Importance.ROUTINE),
        ("last_seen", "2026-11-01T10:00:00Z", "2026-11-01T10:01:00Z", 5),
        ("departure_time", "10:30", "12:30", Importance.OTHER),
        ("bookingStatus", "held", "paid", Importance.STATUS),
        ("escalated", False, True, Importance.STATUS),
        ("step", "quoting", "paying", Importance.STATUS),
        ("step", 1, 2, Importance.ROUTINE),
        ("note", "", None, Importance.LOST),
        ("プラン", "a", "b", Importance.OTHER),
        ("k" * 99_999, 1, 2, Importance.OTHER),
    ],
)
def test_a_key_and_its_values_tell_how_much_a_change_matters(
    key: str, before: Any, after: Any, rank: int
) -> None:
    (change,) = compare({key: before}, {key: after})

    assert importance(change) == rank


def test_what_was_nothing_is_no_loss() -> None:
    (change,) = compare({"error": ""}, {})

    assert importance(change) == Importance.OTHER


def test_many_nulls_are_counted() -> None:
    seats = {f"seat_{n}": "1A" for n in range(6)}

    words = summary(compare(seats, dict.fromkeys(seats)))

    assert words == "seat_0, seat_1, seat_2 and 3 others lost (turned null)"


def test_what_is_not_all_of_the_nulls_says_so() -> None:
    seats = {f"seat_{n}": "1A" for n in range(6)}

    (words,) = sentences(compare(seats, dict.fromkeys(seats)), goes_on=True)

    assert words == "seat_0, seat_1, seat_2 and 3 or more others lost (turned null)"
