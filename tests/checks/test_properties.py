"""Properties: two evaluators agree, and what is written is read as the same check."""

from collections.abc import Callable
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from apps.checks import (
    CheckRefused,
    Outcome,
    document_of,
    evaluate,
    pointers_of,
    read_document,
    read_text,
    write_text,
)
from apps.core import json
from tests.checks import naive
from tests.checks.drawn import CHECKS, STATES, VALUES

FEW = settings(max_examples=100)


@FEW
@given(CHECKS, STATES, st.none() | STATES)
def test_it_holds_where_the_naive_evaluator_says_so(
    check: Any, state: Any, before: Any
) -> None:
    was = {} if before is None else {"before": before}
    verdict = evaluate(check, state, **was)

    expected = naive.holds(check, state, *was.values())
    assert verdict.outcome is (Outcome.HOLDS if expected else Outcome.FAILS)


@FEW
@given(CHECKS)
def test_a_check_is_read_as_it_was_written(check: Any) -> None:
    assert read_text(write_text(check)) == check
    stored = json.parse(json.dumps(document_of(check)))
    assert read_document(stored) == check
    assert write_text(read_document(stored)) == write_text(check)


@FEW
@given(CHECKS, STATES, STATES, st.integers(0, 60))
def test_a_smaller_budget_never_turns_a_verdict(
    check: Any, state: Any, before: Any, looks: int
) -> None:
    whole = evaluate(check, state, before=before)
    tight = evaluate(check, state, before=before, looks=looks)

    enough = looks >= whole.looks
    assert tight.outcome is (whole.outcome if enough else Outcome.UNDECIDED)


@FEW
@given(CHECKS, STATES, STATES, VALUES)
def test_only_what_it_names_can_turn_it(
    check: Any, state: Any, before: Any, changed: Any
) -> None:
    named = {pointer.split("/", 2)[1] for pointer in pointers_of(check) if pointer}
    assume("" not in pointers_of(check))
    free = {key for key in ("a", "b", "items", "ü") if key not in named}
    other = state | dict.fromkeys(free, changed)
    past = before | dict.fromkeys(free, changed)

    assert evaluate(check, state, before=before) == evaluate(check, other, before=past)


@FEW
@given(st.text(max_size=60) | st.text('state.ab=<>()[]," ANDORNT:12', max_size=60))
def test_any_text_is_a_check_or_refused_at_its_place(text: str) -> None:
    refused = refusal(lambda: read_text(text))

    if refused is None:
        check = read_text(text)
        assert read_text(write_text(check)) == check
    else:
        assert refused.where.position is not None
        assert 0 <= refused.where.position <= len(text)


@FEW
@given(VALUES)
def test_any_document_is_a_check_or_refused_at_its_place(document: Any) -> None:
    refused = refusal(lambda: read_document(document))

    assert refused is not None
    assert refused.where.pointer is not None


def refusal(read: Callable[[], Any]) -> CheckRefused | None:
    try:
        read()
    except CheckRefused as refused:
        return refused
    return None
