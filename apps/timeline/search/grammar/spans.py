"""Spans of time in the search language: `age<2h`, `created>2026-11-01`, `updated:A..B`.

A day stands for its beginning behind `<` and `>`, and for all of it behind a colon.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta

from apps.core.time.moments import moment
from apps.timeline.search.clauses import CreatedBetween, UpdatedBetween
from apps.timeline.search.grammar.scanner import Scanner

OLDEST = timedelta(days=36_500)
INSTANT = timedelta(microseconds=1)
UNITS = {
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "min": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}

_AMOUNT = re.compile(r"([0-9]{1,6})(s|min|m|h|d|w)", re.ASCII)
_OPERATOR = re.compile(r"<=|>=|[:=<>]")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_Between = Callable[[datetime | None, datetime | None], CreatedBetween | UpdatedBetween]


def aged(scanner: Scanner, now: datetime) -> CreatedBetween:
    """Take `<2h` or `>3d`: how long ago a session began."""
    operator = _operator(scanner, "age", ("<", ">", "<=", ">="))
    at = scanner.at
    written = _AMOUNT.fullmatch(scanner.text_value(f"age{operator}"))
    if written is None:
        scanner.fail(
            "an age is a number with s, m, h, d or w", at=at, suggestion="age<2h"
        )
    age = min(int(written[1]) * UNITS[written[2]], OLDEST)
    if operator[0] == "<":
        return CreatedBetween(text="", after=now - age, before=None)
    return CreatedBetween(text="", after=None, before=now - age)


def created(scanner: Scanner, now: datetime) -> CreatedBetween | UpdatedBetween:
    """Take when a session began."""
    return _between(
        scanner,
        "created",
        lambda after, before: CreatedBetween(text="", after=after, before=before),
    )


def updated(scanner: Scanner, now: datetime) -> CreatedBetween | UpdatedBetween:
    """Take when a session was last written."""
    return _between(
        scanner,
        "updated",
        lambda after, before: UpdatedBetween(text="", after=after, before=before),
    )


def _between(
    scanner: Scanner, name: str, make: _Between
) -> CreatedBetween | UpdatedBetween:
    operator = _operator(scanner, name, (":", "=", "<", ">", "<=", ">="))
    at = scanner.at
    written = scanner.text_value(f"{name}{operator}")
    if operator[0] == "<":
        return make(None, _moment(scanner, written, at, name))
    if operator[0] == ">":
        return make(_moment(scanner, written, at, name), None)
    if ".." not in written:
        start = _moment(scanner, written, at, name)
        length = timedelta(days=1) if _DAY.fullmatch(written) else INSTANT
        return make(_less(start), _more(start, length))
    after, _, before = written.partition("..")
    if not (after or before):
        scanner.fail("a span has a beginning or an end", at=at)
    return make(
        _moment(scanner, after, at, name) if after else None,
        _moment(scanner, before, at, name) if before else None,
    )


def _operator(scanner: Scanner, name: str, allowed: tuple[str, ...]) -> str:
    at = scanner.at
    operator = scanner.take(_OPERATOR) or ""
    if operator not in allowed:
        example = "age<2h" if name == "age" else f"{name}>2026-01-31"
        scanner.fail(
            f"{name} takes {' or '.join(allowed[:2])}", at=at, suggestion=example
        )
    return operator


def _moment(scanner: Scanner, text: str, at: int, name: str) -> datetime:
    try:
        return moment(text)
    except (ValueError, OverflowError):
        scanner.fail(
            f"{name} takes a date or a time in ISO 8601, in UTC unless it says a zone",
            at=at,
            suggestion=f"{name}>2026-01-31 or {name}>2026-01-31T12:00Z",
        )


def _less(at: datetime) -> datetime:
    try:
        return at - INSTANT
    except OverflowError:
        return at


def _more(at: datetime, length: timedelta) -> datetime:
    try:
        return at + length
    except OverflowError:
        return at
