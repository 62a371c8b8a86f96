"""Say in words what a rule is about, and why a write does not pass it. Pure.

A line is short, whatever a rule or a state has in it, and a pointer of the state shows
what cannot be printed as such.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from apps.checks import write_text
from apps.guards.detecting.detectors import ATTEMPTS, Finding, Outcome
from apps.guards.detecting.rules import Rule, line_of
from apps.guards.words import Kind

LONGEST = 300
LONGEST_PLACE = 80
UNDECIDED = "whether it passes cannot be decided"
DENIED = "a permission was denied, or it is flagged for review"


def words_of(kind: Kind, kept: Mapping[str, Any]) -> str:
    """Say of a kept rule what a write does not pass by it."""
    return _short(WORDS[kind](line_of(kind, kept)))


def reason_of(rule: Rule | None, finding: Finding, *, names_places: bool) -> str:
    """Say why a write does not pass; with places that is of the state itself."""
    if rule is None or finding.outcome is not Outcome.FAILED:
        return UNDECIDED
    said = _failed(rule, finding)
    places = ", ".join(map(_place, finding.places)) if names_places else ""
    if not places:
        return _short(said)
    more = finding.count - len(finding.places)
    rest = f" and {more:,} more" if more > 0 else ""
    return f"{_short(said)}: {places}{rest}"


def _failed(rule: Rule, finding: Finding) -> str:
    if rule.kind is Kind.CONFIRMATION and finding.places != (f"/{ATTEMPTS}",):
        return "the confirmation has expired"
    return FAILED[rule.kind](rule.value, finding.count)


def _many(count: int | str, noun: str) -> str:
    number = f"{int(count):,}"
    return f"{number} {noun}" if number == "1" else f"{number} {noun}s"


def _place(pointer: str) -> str:
    shown = "".join(one if one.isprintable() else "�" for one in pointer)
    return _short(shown, LONGEST_PLACE) or "the whole state"


def _short(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


# Of a rule's line.
WORDS: dict[Kind, Callable[[str], str]] = {
    Kind.SCHEMA: lambda _: "the state does not pass a JSON Schema",
    Kind.CHECK: lambda line: f"this does not hold: {line}",
    Kind.LOOP: lambda line: f"the last {line} outputs are the same",
    Kind.CONTEXT_OVERFLOW: lambda line: (
        f"the session has more than {_many(line, 'turn')}"
    ),
    Kind.NULL_SPREE: lambda line: f"{_many(line, 'value')} or more turn null at once",
    Kind.UNVERIFIED: lambda line: (
        f"one of these has a value and is not verified: {line}"
    ),
    Kind.FAILING_TOOLS: lambda line: (
        f"of the last 20 turns more than {line} had a failed call"
    ),
    Kind.PERMISSION_DENIED: lambda _: DENIED,
    Kind.LOW_CONFIDENCE: lambda line: f"a confidence is below {line}",
    Kind.CONFIRMATION: lambda line: (
        f"a confirmation has expired, or was tried more than {_many(line, 'time')}"
    ),
}
# Of what it is asked with, and at how many places it fails.
FAILED: dict[Kind, Callable[[Any, int], str]] = {
    Kind.SCHEMA: lambda _, count: (
        f"the state does not pass the schema at {_many(count, 'place')}"
    ),
    Kind.CHECK: lambda check, _: f"this does not hold: {write_text(check)}",
    Kind.LOOP: lambda times, _: f"the last {times} outputs are the same",
    Kind.CONTEXT_OVERFLOW: lambda turns, _: (
        f"the session has more than {_many(turns, 'turn')}"
    ),
    Kind.NULL_SPREE: lambda _, count: f"{_many(count, 'value')} turned null",
    Kind.UNVERIFIED: lambda _, count: f"{_many(count, 'field')} not verified",
    Kind.FAILING_TOOLS: lambda failures, _: (
        f"of the last 20 turns more than {failures} had a failed call"
    ),
    Kind.PERMISSION_DENIED: lambda *_: DENIED,
    Kind.LOW_CONFIDENCE: lambda least, _: f"a confidence is below {least:f}",
    Kind.CONFIRMATION: lambda attempts, _: (
        f"the confirmation was tried more than {_many(attempts, 'time')}"
    ),
}
