"""The detectors, as pure functions: what passes, what fails, what nobody can tell."""

import random
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from apps.diffs.compare import compare
from apps.guards.detecting import (
    Moment,
    Outcome,
    RuleRefused,
    find,
    line_of,
    read_line,
    read_rule,
    turn_seen,
)
from apps.guards.words import Kind

NOW = datetime(2026, 5, 1, tzinfo=UTC)
PASSED, FAILED, UNDECIDED = Outcome.PASSED, Outcome.FAILED, Outcome.UNDECIDED
RULES: list[tuple[Kind, dict[str, Any]]] = [
    (Kind.SCHEMA, {"schema": {"properties": {"a": {"type": "integer"}}}}),
    (Kind.CHECK, {"check": "EACH state.items (item.qty>0)"}),
    (Kind.CHECK, {"check": "state.a>=was.a"}),
    (Kind.CHECK, {"check": "unique:state.items"}),
    (Kind.LOOP, {"times": 3}),
    (Kind.CONTEXT_OVERFLOW, {}),
    (Kind.NULL_SPREE, {}),
    (Kind.UNVERIFIED, {"fields": ["/a", "/b/c", "/items/0/qty"]}),
    (Kind.FAILING_TOOLS, {}),
    (Kind.PERMISSION_DENIED, {}),
    (Kind.LOW_CONFIDENCE, {}),
    (Kind.CONFIRMATION, {}),
]


def said(kind: Kind, rule: dict[str, Any], state: Any, **more: Any) -> Outcome:
    ready, _ = read_rule(kind, rule)
    found = find(ready, Moment(at=NOW, is_version=True, state=state, **more))
    assert found is not None
    return found.outcome


@pytest.mark.parametrize(
    ("state", "outcome"),
    [
        ({}, PASSED),
        ({"requires_confirmation": True}, PASSED),
        ({"confirmation_expires_at": "2020-01-01T00:00:00Z"}, PASSED),
        (
            {
                "pending_action": "pay",
                "confirmation_expires_at": "2026-04-30T23:59:59Z",
            },
            FAILED,
        ),
        (
            {
                "pending_action": "pay",
                "confirmation_expires_at": "2026-05-01T00:05:00Z",
            },
            PASSED,
        ),
        ({"pending_action": "pay", "confirmation_expires_at": 1_577_836_800}, FAILED),
        ({"pending_action": "pay", "confirmation_expires_at": "soon"}, UNDECIDED),
        ({"pending_action": "pay", "confirmation_expires_at": 1e300}, UNDECIDED),
        ({"pending_action": "pay", "confirmation_expires_at": True}, UNDECIDED),
        ({"confirmation_attempts": 3}, PASSED),
        ({"confirmation_attempts": 4}, FAILED),
    ],
)
def test_a_confirmation_is_expired_or_tried_too_often(state, outcome):
    assert said(Kind.CONFIRMATION, {}, state) is outcome


@pytest.mark.parametrize(
    ("state", "outcome"),
    [
        ({"destination": "Lisbon"}, FAILED),
        ({"destination": "Lisbon", "destination_verified": True}, PASSED),
        ({"destination": "Lisbon", "destination_verified": 1}, FAILED),
        ({"destination": None}, PASSED),
        ({}, PASSED),
    ],
)
def test_a_critical_field_is_verified_beside_itself(state, outcome):
    rule = {"fields": ["/destination"]}
    assert said(Kind.UNVERIFIED, rule, state) is outcome


@pytest.mark.parametrize(
    ("state", "outcome"),
    [
        ({"confidence": 0.7}, PASSED),
        ({"confidence": 0.69}, FAILED),
        ({"memories": [{"confidence": 1}, {"confidence": 0}]}, FAILED),
        ({"confidence": "low"}, PASSED),
        ({"confidence": False}, PASSED),
        ({"many": [{} for _ in range(6_000)]}, UNDECIDED),
    ],
)
def test_a_confidence_anywhere_is_high_enough(state, outcome):
    assert said(Kind.LOW_CONFIDENCE, {}, state) is outcome


def test_a_spree_that_nobody_could_count_is_no_pass():
    before = {f"k{i}": 1 for i in range(20_000)}
    after = {f"k{i}": 2 for i in range(20_000)}

    outcome = said(Kind.NULL_SPREE, {}, after, changes=compare(before, after))

    assert outcome is UNDECIDED


def test_null_before_is_not_lost_and_what_is_removed_did_not_turn_null():
    before = {"a": None, "b": 1, "c": 2}
    after = {"a": None, "b": None}

    assert said(Kind.NULL_SPREE, {}, after, changes=compare(before, after)) is PASSED


def random_value(dice: random.Random, deep: int = 0) -> Any:
    kinds = ["null", "bool", "int", "float", "text", "list", "dict"]
    match dice.choice(kinds if deep < 4 else kinds[:5]):
        case "null":
            return None
        case "bool":
            return dice.random() < 0.5
        case "int":
            return dice.choice([0, 1, -1, 2**63, 10**30, dice.randrange(100)])
        case "float":
            return dice.choice([0.0, -0.0, 0.5, 1e300, dice.random()])
        case "text":
            return dice.choice(["", "a", "2020-01-01T00:00:00Z", "é\u0000", "x" * 50])
        case "list":
            return [random_value(dice, deep + 1) for _ in range(dice.randrange(4))]
    names = [
        *("a", "b", "c", "qty", "items", "confidence", "pending_action", ""),
        *("confirmation_expires_at", "confirmation_attempts", "a_verified", "~/"),
    ]
    few = dice.sample(names, dice.randrange(6))
    return {name: random_value(dice, deep + 1) for name in few}


def lost(before: Any, after: Any) -> int:
    """Count what turned null beside lists, in which items may have moved."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return int(before is not None and after is None)
    return sum(lost(before[key], after[key]) for key in before.keys() & after.keys())


def state_has_null(value: Any) -> bool:
    if isinstance(value, (dict, list)):
        inner = value.values() if isinstance(value, dict) else value
        return any(map(state_has_null, inner))
    return value is None


def random_state(dice: random.Random) -> dict[str, Any]:
    while not isinstance(state := random_value(dice), dict):
        pass
    return state


def test_ten_thousand_random_states_never_make_a_guard_hang_break_or_lie():
    dice = random.Random(19)
    rules = [read_rule(kind, rule)[0] for kind, rule in RULES]
    slowest, counted = 0.0, dict.fromkeys(Outcome, 0)
    before = random_state(dice)
    for _ in range(10_000):
        state = random_state(dice)
        turn = turn_seen(dice.randrange(40), {}, state, random_state(dice))
        moment = Moment(
            at=NOW + timedelta(days=dice.randrange(-4_000, 4_000)),
            is_version=True,
            state=state,
            before=before,
            has_before=True,
            changes=compare(before, state),
            turn=turn,
            earlier=[turn] * dice.randrange(21),
        )
        for rule in rules:
            began = time.perf_counter()
            found = find(rule, moment)
            slowest = max(slowest, time.perf_counter() - began)
            assert found is not None
            assert found == find(rule, moment), "the same is said twice"
            counted[found.outcome] += 1
        spree = find(rules[6], moment)
        assert spree is not None
        assert lost(before, state) < 2 or spree.outcome is FAILED
        assert spree.outcome is PASSED or state_has_null(state)
        before = state
    assert slowest < 1
    assert all(counted.values()), counted


@pytest.mark.parametrize(
    ("kind", "rule", "param"),
    [
        (Kind.CHECK, {}, "check"),
        (Kind.CHECK, {"check": "state.a>"}, "check"),
        (Kind.CHECK, {"check": 1}, "check"),
        (Kind.CHECK, {"checks": "state.a=1"}, "checks"),
        (Kind.SCHEMA, {"schema": {"$ref": "https://example.com/x"}}, "schema/$ref"),
        (Kind.SCHEMA, {"schema": []}, "schema"),
        (Kind.SCHEMA, {"schema": {"enum": ["x" * 70_000]}}, "schema"),
        (Kind.LOOP, {"times": 1}, "times"),
        (Kind.LOOP, {"times": True}, "times"),
        (Kind.LOOP, {"times": 2.5}, "times"),
        (Kind.NULL_SPREE, {"values": 0}, "values"),
        (Kind.UNVERIFIED, {"fields": []}, "fields"),
        (Kind.UNVERIFIED, {"fields": ["destination"]}, "fields"),
        (Kind.UNVERIFIED, {"fields": ["/a~2"]}, "fields"),
        (Kind.LOW_CONFIDENCE, {"least": 0}, "least"),
        (Kind.LOW_CONFIDENCE, {"least": 1.01}, "least"),
        (Kind.LOW_CONFIDENCE, {"least": "-1"}, "least"),
        (Kind.PERMISSION_DENIED, {"anything": 1}, "anything"),
        (Kind.CONFIRMATION, {"attempts": -1}, "attempts"),
    ],
)
def test_a_rule_that_says_nothing_is_refused_with_the_place(kind, rule, param):
    with pytest.raises(RuleRefused) as refused:
        read_rule(kind, rule)

    assert refused.value.param == param


@pytest.mark.parametrize(("kind", "rule"), RULES)
def test_a_rule_is_read_back_from_its_line(kind, rule):
    _, kept = read_rule(kind, rule)

    _, again = read_rule(kind, read_line(kind, line_of(kind, kept)))

    assert again == kept
