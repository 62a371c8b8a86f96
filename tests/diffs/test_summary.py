"""What a support engineer reads about a version."""

from typing import Any

import pytest

from apps.diffs.compare import compare
from apps.diffs.summary import summary
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
        ({"a": 1}, {"a": 1}, "nothing changed"),
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
