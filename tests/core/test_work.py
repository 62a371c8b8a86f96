"""Work, counted from what is done."""

import orjson
import pytest

from apps.core.admission import gate, work
from apps.core.admission.gate import Gate
from apps.core.admission.work import WorkBudget
from apps.core.errors import Busy


def test_about_one_unit_is_counted_for_each_value() -> None:
    numbers = work.of_json(orjson.dumps({"rows": [[1] * 10 for _ in range(1000)]}))
    text = work.of_json(orjson.dumps({"text": "x" * 21_000}))

    assert 10_000 <= numbers <= 13_000
    assert 21_000 // work.BYTES_A_UNIT <= text <= 100


def test_a_budget_is_spent_by_what_reaches_it() -> None:
    budget = WorkBudget(most=10)

    budget.spend(9)
    before = budget.is_spent
    budget.spend(1)

    assert (before, budget.is_spent) == (False, True)


def test_what_is_spent_counts_at_the_gate() -> None:
    one = Gate(permits=1, seconds=0.01)

    with one.hold(), gate.visiting(one), pytest.raises(Busy):
        WorkBudget().spend(gate.GATED_WORK + 1)


def test_a_page_ends_in_time_on_a_machine_that_is_much_too_busy() -> None:
    now = [0.0]
    budget = WorkBudget(most=10, seconds=5, clock=lambda: now[0])

    now[0] = 5.0
    before = budget.is_spent
    budget.spend(1)

    assert (before, budget.is_spent) == (False, True)
