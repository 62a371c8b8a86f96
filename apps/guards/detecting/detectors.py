"""The detectors: of one write, whether it passes, fails, or nobody can tell.

What would take more than `LOOKS` is undecided, which is never a pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from apps import checks
from apps.checks.values import number_of
from apps.core.time.moments import moment as moment_of
from apps.diffs import pointers
from apps.diffs.changes import Kind as Changed
from apps.guards.detecting.moments import Moment
from apps.guards.detecting.rules import OF_STATES, OF_TURNS, Rule
from apps.guards.words import Kind

# Of one guard in one write: ten of them take 50,000.
LOOKS = 5_000
# So many places are said.
MOST_NAMED = 5
# What a state says of a confirmation that is asked for.
PENDING = ("requires_confirmation", "pending_action", "confirmation_code")
EXPIRES = "confirmation_expires_at"
ATTEMPTS = "confirmation_attempts"
# Beyond the year 9999 there is no moment.
LAST_SECOND = 253_402_300_799


class Outcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of it, and at which places of the state, if places fail.

    `places` are the first of them, `count` is how many there are.
    """

    outcome: Outcome
    places: tuple[str, ...] = ()
    count: int = 0


PASSED = Finding(Outcome.PASSED)
FAILED = Finding(Outcome.FAILED)
UNDECIDED = Finding(Outcome.UNDECIDED)


def find(rule: Rule, seen: Moment) -> Finding | None:
    """Return what a rule says of a write; None where it says nothing of such a one."""
    in_state = seen.is_version and rule.kind in OF_STATES
    in_turn = seen.turn is not None and rule.kind in OF_TURNS
    if not in_state and not in_turn:
        return None
    return DETECTORS[rule.kind](rule.value, seen)


def _decided(has_failed: bool) -> Finding:
    return FAILED if has_failed else PASSED


def _schema(shape: Any, seen: Moment) -> Finding:
    faults = shape.faults(seen.state)
    return _at(tuple(one["param"] for one in faults)) if faults else PASSED


def _check(check: Any, seen: Moment) -> Finding:
    before = {"before": seen.before} if seen.has_before else {}
    verdict = checks.evaluate(check, seen.state, looks=LOOKS, **before)
    if verdict.outcome is checks.Outcome.UNDECIDED:
        return UNDECIDED
    return _decided(verdict.outcome is checks.Outcome.FAILS)


def _loop(times: int, seen: Moment) -> Finding:
    """Fail where so many outputs in a row are the same, this one with them."""
    if seen.turn is None or len(seen.earlier) < times - 1:
        return PASSED
    before = seen.earlier[: times - 1]
    return _decided(all(one.output == seen.turn.output for one in before))


def _context_overflow(turns: int, seen: Moment) -> Finding:
    return _decided(seen.turn is not None and seen.turn.number > turns)


def _null_spree(values: int, seen: Moment) -> Finding:
    """Fail where so many values turned null at once."""
    if seen.changes is None:
        return PASSED
    lost = [
        one.pointer
        for one in seen.changes
        if one.after is None
        and one.before is not None
        and one.kind in (Changed.CHANGED, Changed.TYPE_CHANGED)
    ]
    if len(lost) >= values:
        return _at(tuple(lost))
    return UNDECIDED if seen.changes.truncated else PASSED


def _unverified(fields: Any, seen: Moment) -> Finding:
    """Fail where a field has a value and its `…_verified` is not true."""
    found = []
    for place, tokens in fields:
        holder = _below(seen.state, tokens[:-1])
        if not isinstance(holder, dict) or holder.get(tokens[-1]) is None:
            continue
        if holder.get(f"{tokens[-1]}_verified") is not True:
            found.append(place)
    return _at(tuple(found)) if found else PASSED


def _failing_tools(failures: int, seen: Moment) -> Finding:
    """Fail where more than so many of the last twenty turns had a call that failed."""
    if seen.turn is None or not seen.turn.has_failed:
        return PASSED
    last = seen.earlier[:19]
    return _decided(1 + sum(one.has_failed for one in last) > failures)


def _permission_denied(_: None, seen: Moment) -> Finding:
    if seen.turn is not None and seen.turn.is_denied:
        return FAILED
    state = seen.state if isinstance(seen.state, dict) else {}
    names = ("permission_denied", "flagged_for_review")
    return _decided(any(state.get(name) is True for name in names))


def _low_confidence(least: Decimal, seen: Moment) -> Finding:
    """Fail where a `confidence`, anywhere in the state or of the turn, is too low."""
    if seen.turn is not None and _is_below(seen.turn.confidence, least):
        return FAILED
    if not seen.is_version:
        return PASSED
    waiting: list[tuple[str, Any]] = [("", seen.state)]
    found: list[str] = []
    looks = 0
    while waiting:
        at, value = waiting.pop()
        looks += 1 + (len(value) if isinstance(value, (dict, list)) else 0)
        if looks > LOOKS:
            return UNDECIDED
        if isinstance(value, dict):
            if _is_below(value.get("confidence"), least):
                found.append(f"{at}/confidence")
            members = ((pointers.escape(key), one) for key, one in value.items())
        elif isinstance(value, list):
            members = ((str(index), one) for index, one in enumerate(value))
        else:
            continue
        waiting += [
            (f"{at}/{token}", one)
            for token, one in members
            if isinstance(one, (dict, list))
        ]
    return _at(tuple(sorted(found))) if found else PASSED


def _confirmation(attempts: int, seen: Moment) -> Finding:
    """Fail where what is to be confirmed has expired, or was tried too often."""
    state = seen.state if isinstance(seen.state, dict) else {}
    tried = number_of(state.get(ATTEMPTS))
    if tried is not None and tried > attempts:
        return _at((f"/{ATTEMPTS}",))
    if state.get(EXPIRES) is None or not any(state.get(name) for name in PENDING):
        return PASSED
    expires = _moment(state[EXPIRES])
    if expires is None:
        return UNDECIDED
    return _at((f"/{EXPIRES}",)) if expires < seen.at else PASSED


def _at(places: tuple[str, ...]) -> Finding:
    return Finding(Outcome.FAILED, places[:MOST_NAMED], len(places))


def _below(value: Any, tokens: tuple[str, ...]) -> Any:
    try:
        for token in tokens:
            value = pointers.step(value, token)
    except KeyError:
        return None
    return value


def _is_below(value: Any, least: Decimal) -> bool:
    number = number_of(value)
    return number is not None and number < least


def _moment(value: Any) -> datetime | None:
    """Read a moment of ISO 8601, or of seconds since 1970; None for anything else."""
    try:
        if isinstance(value, str):
            return moment_of(value)
        if type(value) in (int, float) and 0 <= value <= LAST_SECOND:
            return datetime.fromtimestamp(value, tz=UTC)
    except (ValueError, OverflowError):
        pass
    return None


DETECTORS: dict[Kind, Callable[[Any, Moment], Finding]] = {
    Kind.SCHEMA: _schema,
    Kind.CHECK: _check,
    Kind.LOOP: _loop,
    Kind.CONTEXT_OVERFLOW: _context_overflow,
    Kind.NULL_SPREE: _null_spree,
    Kind.UNVERIFIED: _unverified,
    Kind.FAILING_TOOLS: _failing_tools,
    Kind.PERMISSION_DENIED: _permission_denied,
    Kind.LOW_CONFIDENCE: _low_confidence,
    Kind.CONFIRMATION: _confirmation,
}
