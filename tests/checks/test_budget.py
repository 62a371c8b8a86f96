"""Looking is bounded: what would take more is undecided, and never passes."""

import pytest

from apps.checks import APPEND_LOOKS, Outcome, evaluate, read_text

LARGE = {"items": [{"id": n, "text": "x" * 100} for n in range(100_000)]}


@pytest.mark.parametrize(
    "text",
    [
        "EACH state.items (item.id>=0)",
        "unique:state.items(item.id)",
        "sum:state.items(item.id)>0",
        "state.items contains 5",
        "state=was",
        "NOT state.items contains 5",
    ],
)
def test_a_large_state_is_undecided(text: str) -> None:
    verdict = evaluate(read_text(text), LARGE, before=LARGE, looks=APPEND_LOOKS)

    assert verdict.outcome is Outcome.UNDECIDED
    assert verdict.looks == APPEND_LOOKS


def test_what_was_found_before_the_budget_ends_counts() -> None:
    check = read_text("size:state.items=5 AND unique:state.items")

    assert evaluate(check, LARGE, looks=APPEND_LOOKS).outcome is Outcome.FAILS


def test_a_long_text_costs_what_reading_it_takes() -> None:
    check = read_text("state.text contains b")

    verdict = evaluate(check, {"text": "a" * 4096 * 100}, looks=50)
    assert verdict.outcome is Outcome.UNDECIDED
