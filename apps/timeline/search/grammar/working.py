"""What sessions work at, and what that takes: `task:fly=failed`, `cost>0.50USD`."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from difflib import get_close_matches

from apps.timeline.bodies.tasks import STATUSES
from apps.timeline.ledger.facts.index import KEYED_VALUE
from apps.timeline.ledger.facts.tasked import folded
from apps.timeline.search.clauses import Clause, TaskIs, Used, UsedWithin
from apps.timeline.search.grammar.scanner import Scanner

TASK = "task"
# As tasks may spell them.
_STATUSES = {one: one for one in STATUSES} | dict.fromkeys(
    ("done", "complete"), STATUSES[2]
)
_OPERATOR = re.compile(r"<=|>=|[:=<>]")
_AMOUNT = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,12})?)?([A-Z]{3})?", re.ASCII)
_EQUAL = re.compile("=")


def task(scanner: Scanner) -> Clause:
    """Take a status, a name, or `name=status`; what is quoted is a name."""
    start = scanner.at
    if scanner.looks_at('"'):
        name = scanner.text_value(f"{TASK}:")
        if scanner.take(_EQUAL) is None:
            return TaskIs(text="", name=_name(scanner, name, start))
        at = scanner.at
        status = _status(scanner, scanner.text_value(f"{TASK}:…="), at)
        return TaskIs(text="", name=_name(scanner, name, start), status=status)
    written = scanner.text_value(f"{TASK}:")
    name, is_both, status = written.rpartition("=")
    if not is_both:
        known = _STATUSES.get(written.casefold())
        if known is not None:
            return TaskIs(text="", status=known)
        return TaskIs(text="", name=_name(scanner, written, start))
    status = _status(scanner, status, start + len(name) + 1)
    return TaskIs(text="", name=_name(scanner, name, start), status=status)


def cost(scanner: Scanner, now: datetime) -> Clause:
    """Take how much a session cost, with a currency or in its own."""
    return _used(scanner, Used.COST)


def tokens(scanner: Scanner, now: datetime) -> Clause:
    """Take how many tokens a session used, of input and output."""
    return _used(scanner, Used.TOKENS)


def _name(scanner: Scanner, name: str, at: int) -> str:
    if not folded(name):
        scanner.fail(f"{TASK}: needs a name or a status", at=at)
    if len(name) > KEYED_VALUE:
        scanner.fail(f"a task is found by {KEYED_VALUE} characters at most", at=at)
    return name


def _status(scanner: Scanner, written: str, at: int) -> str:
    known = _STATUSES.get(written.casefold())
    if known is None:
        near = get_close_matches(written.casefold(), _STATUSES, n=1)
        scanner.fail(
            f"a task is {', '.join(STATUSES)}",
            at=at,
            suggestion=f"{TASK}:…={near[0]}" if near else None,
        )
    return known


def _used(scanner: Scanner, used: Used) -> Clause:
    operator = scanner.take(_OPERATOR) or ""
    at = scanner.at
    written = scanner.text_value(f"{used.value}{operator}")
    if operator[0] in "<>":
        amount, currency = _amount(scanner, written, used, at)
        is_above = operator[0] == ">"
        return UsedWithin(
            text="",
            used=used,
            low=amount if is_above else None,
            high=None if is_above else amount,
            excludes="=" not in operator,
            currency=currency,
        )
    first, is_span, last = written.partition("..")
    if not is_span:
        amount, currency = _amount(scanner, written, used, at)
        return UsedWithin(
            text="", used=used, low=amount, high=amount, currency=currency
        )
    low, begins = _amount(scanner, first, used, at) if first else (None, None)
    high, ends = _amount(scanner, last, used, at) if last else (None, None)
    if low is None and high is None:
        scanner.fail("a range has a beginning or an end", at=at)
    if low is not None and high is not None and high < low:
        scanner.fail("this range ends before it begins", at=at)
    if begins is not None and ends is not None and begins != ends:
        scanner.fail("a range is of one currency", at=at)
    return UsedWithin(text="", used=used, low=low, high=high, currency=begins or ends)


def _amount(
    scanner: Scanner, written: str, used: Used, at: int
) -> tuple[Decimal, str | None]:
    found = _AMOUNT.fullmatch(written)
    if found is None or found[1] is None or (found[2] and used is Used.TOKENS):
        takes = "an amount" if used is Used.COST else "a number"
        example = "cost>0.5 or cost>0.5USD" if used is Used.COST else "tokens>1000"
        scanner.fail(f"{used.value} takes {takes}", at=at, suggestion=example)
    return Decimal(found[1]), found[2]
