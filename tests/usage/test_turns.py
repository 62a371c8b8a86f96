"""Turns say what they used: kept exactly, added up under the lock, and proven."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections

from apps.timeline import verification
from apps.timeline.models import Turn
from tests.timeline import runs
from tests.timeline.damage import Place, damage
from tests.timeline.runs import assert_refused

pytestmark = pytest.mark.django_db
FIRST = {
    "input_tokens": 1200,
    "output_tokens": 300,
    "cached_tokens": 1000,
    "cost": "0.0120",
    "currency": "EUR",
}
SECOND = {"input_tokens": 5, "cost": "0.1", "currency": "EUR"}


def spend(run: runs.Run, usage: Any, **fields: Any) -> Any:
    return run.turn(usage=usage, **fields)


def problems(run: runs.Run) -> list[str]:
    return [one.sentence for one in verification.findings(run.id)]


def test_a_turn_keeps_what_it_used_and_the_totals_up_to_it(run):
    one, two = spend(run, FIRST), spend(run, SECOND)

    assert one["usage"]["cost"] == "0.012"
    assert one["spent"]["cost"] == "0.012"
    assert two["spent"] == {
        "turns": 2,
        "input_tokens": 1205,
        "output_tokens": 300,
        "cached_tokens": 1000,
        "tool_calls": 0,
        "cost": "0.112",
        "currency": "EUR",
        "costed": 2,
        "filled_in": 0,
    }
    assert problems(run) == []


def test_a_turn_is_read_as_it_was_answered(run):
    made = spend(run, FIRST)

    assert run.get("turns", made["id"]) == made


def test_a_turn_that_says_nothing_says_so_and_carries_the_totals_on(run):
    silent = run.turn()
    spend(run, FIRST)
    after = run.turn()

    assert silent["usage"] is None
    assert silent["spent"] is None
    assert after["usage"] is None
    assert after["spent"]["turns"] == 1
    assert problems(run) == []


def test_sums_of_costs_are_exact_where_floats_are_not(run):
    for _ in range(10):
        last = spend(run, {"cost": "0.1", "currency": "USD"})
    last = spend(run, {"cost": "0.000000000001", "currency": "USD"})

    assert last["spent"]["cost"] == "1.000000000001"


def test_calls_of_tools_are_counted_also_without_tokens(run):
    made = run.turn({"type": "tool_call", "tool_metadata": {"name": "pay"}}, "ok")

    assert made["usage"] is None
    assert made["spent"]["tool_calls"] == 1
    assert made["spent"]["turns"] == 0
    assert problems(run) == []


def test_what_was_set_aside_stays_spent_and_a_fork_begins_with_nothing(run):
    spend(run, FIRST, state_after={"step": "wrong"})
    run.rollback(0)
    after = spend(run, SECOND)
    fork = run.fork(version=0)
    in_fork = spend(fork, {"cost": "3", "currency": "USD"})

    assert after["spent"]["cost"] == "0.112"
    assert in_fork["spent"]["cost"] == "3"
    assert problems(run) == problems(fork) == []


def test_a_repeated_request_counts_once_and_is_answered_the_same(run):
    body = {"input": "Hi", "output": "Hello", "usage": FIRST}
    one = run.client.post(run.path("turns"), body, Idempotency_Key="one")
    again = run.client.post(run.path("turns"), body, Idempotency_Key="one")

    assert again.body == one.body
    assert spend(run, SECOND)["spent"]["turns"] == 2


def test_another_currency_is_refused_and_stores_nothing(run):
    spend(run, FIRST)
    other = {"cost": "1", "currency": "USD"}
    body = {"input": "Hi", "output": "Hello", "usage": other}

    answer = run.client.post(run.path("turns"), body)

    assert_refused(answer, 422, "usage_currency", "usage.currency")
    assert Turn.objects.of_session(run.id).count() == 1


@pytest.mark.parametrize(
    ("usage", "param"),
    [
        ({}, "usage"),
        ({"cost": None}, "usage"),
        ({"tokens": 3}, "usage.tokens"),
        ({"input_tokens": -1}, "usage.input_tokens"),
        ({"input_tokens": True}, "usage.input_tokens"),
        ({"output_tokens": 1.5}, "usage.output_tokens"),
        ({"output_tokens": 10**13}, "usage.output_tokens"),
        ({"input_tokens": 1, "cached_tokens": 2}, "usage.cached_tokens"),
        ({"cost": "-1", "currency": "EUR"}, "usage.cost"),
        ({"cost": 0.1, "currency": "EUR"}, "usage.cost"),
        ({"cost": "1e3", "currency": "EUR"}, "usage.cost"),
        ({"cost": "NaN", "currency": "EUR"}, "usage.cost"),
        ({"cost": "1\n", "currency": "EUR"}, "usage.cost"),
        ({"cost": "1." + "0" * 13, "currency": "EUR"}, "usage.cost"),
        ({"cost": "1"}, "usage.currency"),
        ({"currency": "EUR"}, "usage.cost"),
        ({"cost": "1", "currency": "euro"}, "usage.currency"),
    ],
)
def test_what_no_turn_can_have_used_is_refused_and_says_where(run, usage, param):
    body = {"input": "Hi", "output": "Hello", "usage": usage}

    answer = run.client.post(run.path("turns"), body)

    assert_refused(answer, 422, "unacceptable_usage", param)
    assert not Turn.objects.of_session(run.id).exists()


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("usage", '{"input_tokens": 1, "cost": "0.1", "currency": "EUR"}'),
        ("usage", None),
        ("spent", '{"turns": 1}'),
        ("spent", None),
    ],
)
def test_verification_finds_a_changed_figure(run, column, value):
    spend(run, FIRST)
    spend(run, SECOND)

    damage(Place("timeline_turn", run.id, 2, column, None), value)

    assert problems(run)


@pytest.mark.django_db(transaction=True)
def test_turns_at_once_are_each_added_once(run):
    def one(_: int) -> None:
        spend(run, {"input_tokens": 1, "cost": "0.01", "currency": "EUR"})
        connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(one, range(12)))

    last = Turn.objects.of_session(run.id).order_by("-turn_number")[0]
    assert last.spent["input_tokens"] == last.turn_number == 12
    assert last.spent["cost"] == "0.12"
    assert problems(run) == []
