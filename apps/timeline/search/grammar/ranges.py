"""Ranges of numbers in the search language: `/amount>100`, `/amount:10..20`."""

from __future__ import annotations

import re
from typing import NoReturn

from apps.timeline.search.clauses import Within
from apps.timeline.search.grammar.scanner import NUMBER, Scanner

_COMPARE = re.compile(r"<=|>=|[<>]")
_SPAN = re.compile(rf":(?P<low>{NUMBER})?\.\.(?P<high>{NUMBER})?(?!\S)", re.ASCII)


def take(scanner: Scanner, pointer: str, place: str) -> Within | None:
    """Take what bounds the number at a place; None where no range is written.

    Raises: InvalidRequest.
    """
    start = scanner.at
    span = _SPAN.match(scanner.text, start)
    if span is not None:
        scanner.at = span.end()
        found = _between(scanner, pointer, span, start)
    else:
        operator = scanner.take(_COMPARE)
        if operator is None:
            return None
        found = _compared(scanner, pointer, operator, place)
    if not pointer:
        scanner.fail("a range needs a place below the state", at=start)
    return found


def _between(scanner: Scanner, pointer: str, span: re.Match[str], start: int) -> Within:
    low, high = (
        None if span[name] is None else scanner.number(span[name], span.start(name))
        for name in ("low", "high")
    )
    if low is None and high is None:
        scanner.fail("a range has a beginning or an end", at=start + 1)
    if low is not None and high is not None and high < low:
        scanner.fail("this range ends before it begins", at=start + 1)
    return Within(text="", pointer=pointer, low=low, high=high)


def _compared(scanner: Scanner, pointer: str, operator: str, place: str) -> Within:
    at = scanner.at
    written = scanner.run()
    if not re.fullmatch(NUMBER, written, re.ASCII):
        _refuse(scanner, f"{place}{operator}", at)
    scanner.at += len(written)
    number = scanner.number(written, at)
    is_above = operator.startswith(">")
    return Within(
        text="",
        pointer=pointer,
        low=number if is_above else None,
        high=None if is_above else number,
        excludes="=" not in operator,
    )


def _refuse(scanner: Scanner, before: str, at: int) -> NoReturn:
    scanner.fail(
        f"{before} takes a number; put the term in quotes to look for it as text",
        at=at,
        suggestion=f"{before}100",
    )
