"""Comparisons made for people."""

import json
from typing import Any

from hypothesis import given, settings

from apps.diffs.display import display, text_diff
from apps.diffs.patch import apply
from tests.diffs.states import bounded, pairs

LETTER = {"role": "agent", "to": "ann", "text": "your refund is on its way", "n": 1}
NOTE = {"kind": "note", "author": "bob", "body": "called the customer", "stars": 5}


def reported(before: Any, after: Any) -> list[tuple[str, str]]:
    return [(c.pointer, c.kind.value) for c in display(before, after)]


def test_an_edited_item_is_found_beside_a_new_one() -> None:
    before = {"log": [LETTER]}
    after = {"log": [NOTE, {**LETTER, "n": 2}]}

    assert reported(before, after) == [("/log/0", "added"), ("/log/1/n", "changed")]


def test_a_window_of_more_than_500_items_is_replaced_and_says_so() -> None:
    before = {"log": [{"n": n} for n in range(501)], "to": "LAX"}
    after = {"log": [{"n": -n - 1} for n in range(501)], "to": "NYC"}

    shown = display(before, after)

    assert [change.pointer for change in shown] == ["/log", "/to"]
    assert shown.coarse == ("/log",)


def test_long_texts_are_compared_by_line() -> None:
    assert text_diff("one\ntwo\nthree", "one\n2\nthree") == (
        "@@ -1,3 +1,3 @@",
        " one",
        "-two",
        "+2",
        " three",
    )


def test_texts_without_lines_are_compared_by_sentence() -> None:
    lines = text_diff("Hello. Pay 5. Bye.", "Hello. Pay \u202e6. Bye.")

    assert lines is not None
    assert lines[2:4] == ("-Pay 5.", "+Pay ⟨U+202E⟩6.")


def test_texts_may_be_too_long_to_compare() -> None:
    assert text_diff("a" * 50_001, "b") is None


@settings(bounded, max_examples=80)
@given(pairs)
def test_what_is_displayed_still_leads_from_before_to_after(pair: Any) -> None:
    before, after = pair

    rebuilt = apply(before, display(before, after))

    assert json.dumps(rebuilt, sort_keys=True) == json.dumps(after, sort_keys=True)
