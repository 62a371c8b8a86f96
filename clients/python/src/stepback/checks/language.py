# Written by make_sync.py from apps/checks/language.py: do not edit.
"""Read a check from one line of text.

    state.total<=1500 AND NOT state.destination=null
    /order/status in [open, "on hold"] OR there:state.waiver
    EACH state.items (item.qty>0 AND format:item.sku=uuid)
    size:state.items<=20 AND unique:state.items(item.sku)
    sum:state.items(item.price)=state.total AND state.step>=was.step
    type:state.total=number AND state.tags contains vip

`AND` and `OR` mix only with parentheses, so nobody has to know which comes first.
Words that are no number, true, false or null are texts, as in a search. Operators in
words are read in any case.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from enum import StrEnum
from typing import NoReturn, TypeVar

from stepback.checks import limits
from stepback.checks.errors import CheckRefused, Where
from stepback.checks.model import (
    All,
    AnyOf,
    Check,
    Compared,
    Comparison,
    Contains,
    Each,
    Format,
    HasFormat,
    HasType,
    Literal,
    Measured,
    Not,
    OneOf,
    Operand,
    Place,
    Root,
    Scalar,
    Size,
    Sum,
    There,
    Type,
    Unique,
)
from stepback.checks.places import place_of
from stepback.checks.tokens import Kind, Token, tokens_of, unquoted

LONGEST_TEXT = 4_000

Choice = TypeVar("Choice", bound=StrEnum)

# As JSON writes it.
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
_WORDS: dict[str, Scalar] = {"true": True, "false": False, "null": None}
_FUNCTIONS = ("there", "type", "format", "size", "sum", "unique")
_PLACES = (Kind.PLACE, Kind.POINTER)
# What a text without quotes is taken for: `http:`, `/etc`.
_MISTAKEN = (Kind.FUNCTION, Kind.POINTER)


def read_text(text: str) -> Check:
    """Return the check that a text says.

    Raises: CheckRefused, with the position of what is wrong.
    """
    if len(text) > LONGEST_TEXT:
        what = f"a check has at most {LONGEST_TEXT:,} characters"
        raise CheckRefused(what, Where(position=0))
    return _Reader(list(tokens_of(text))).whole()


class _Reader:
    """The tokens of a text, and how far they are read."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._count = limits.Count()

    def whole(self) -> Check:
        found = self._combined()
        if self._here.kind is not Kind.END:
            self._fail("AND, OR or the end is expected here")
        return found

    def _combined(self) -> Check:
        """Take checks with one word between them."""
        found, word = [self._single()], None
        while (said := self._word("AND", "OR")) is not None:
            if word is not None and said != word:
                self._fail("AND and OR mix only with parentheses", back=1)
            word = said
            found.append(self._single())
        if word is None:
            return found[0]
        return All(tuple(found)) if word == "AND" else AnyOf(tuple(found))

    def _single(self) -> Check:
        if self._word("NOT"):
            with self._count.level(self._here.where):
                return Not(self._single())
        if self._word("EACH"):
            return self._each()
        if self._here.text == "(":
            return self._within()
        return self._test()

    def _within(self) -> Check:
        self._mark("(")
        with self._count.level(self._here.where):
            found = self._combined()
        self._mark(")")
        return found

    def _each(self) -> Each:
        place = self._place()
        with self._count.each(self._here.where):
            return Each(place, self._within())

    def _test(self) -> Check:
        self._count.clause(self._here.where)
        here = self._here
        if here.kind is Kind.FUNCTION:
            name = self._function()
            if name not in ("size", "sum"):
                return self._asked(name)
            return self._compared(self._measured(name))
        place = self._place()
        if self._word("IN"):
            return OneOf(place, self._list())
        if self._word("CONTAINS"):
            return Contains(place, self._value())
        return self._compared(place)

    def _function(self) -> str:
        here = self._next()
        name = here.text[:-1].lower()
        if name in _FUNCTIONS:
            return name
        near = get_close_matches(name, _FUNCTIONS, n=1)
        raise CheckRefused(
            f"{here.text} is none of {', '.join(_FUNCTIONS)}",
            here.where,
            suggestion=f"{near[0]}:" if near else None,
        )

    def _asked(self, name: str) -> Check:
        """Take a test that is a function."""
        place = self._place()
        if name == "there":
            return There(place)
        if name == "unique":
            return Unique(place, self._of())
        if self._here.text != "=":
            self._fail(f"{name}: needs = behind its place")
        self._next()
        if name == "type":
            return HasType(place, self._choice(Type))
        return HasFormat(place, self._choice(Format))

    def _measured(self, name: str) -> Measured:
        place = self._place()
        return Size(place) if name == "size" else Sum(place, self._of())

    def _of(self) -> Place | None:
        """Take the place in each item, in parentheses."""
        if self._here.text != "(":
            return None
        self._mark("(")
        here = self._next()
        found = place_of(here) if here.kind is Kind.PLACE else None
        if found is None or found.root is not Root.ITEM:
            raise CheckRefused("item.… is expected here", here.where)
        self._mark(")")
        return found

    def _compared(self, left: Measured) -> Compared:
        if self._here.kind is not Kind.OPERATOR:
            self._fail("=, <, <=, >, >=, in or contains is expected here")
        comparison = Comparison(self._next().text)
        return Compared(left, comparison, self._operand())

    def _operand(self) -> Operand:
        here = self._here
        if here.kind is Kind.PLACE:
            return self._place()
        if here.kind is Kind.FUNCTION and here.text[:-1].lower() in ("size", "sum"):
            return self._measured(self._function())
        return Literal(self._value())

    def _list(self) -> tuple[Scalar, ...]:
        where = self._here.where
        self._mark("[")
        found = [self._value()]
        while self._here.text == ",":
            self._next()
            found.append(self._value())
        self._mark("]")
        limits.require_few(found, where)
        return tuple(found)

    def _value(self) -> Scalar:
        """Take a text, or a number, true, false or null."""
        here = self._here
        if here.kind is Kind.STRING:
            found: Scalar = unquoted(self._next().text, here.at)
        elif here.kind is Kind.WORD and here.text in _WORDS:
            found = _WORDS[self._next().text]
        elif here.kind is Kind.WORD and _NUMBER.fullmatch(here.text):
            found = _number(self._next())
        elif here.kind is Kind.WORD:
            found = self._next().text
        elif here.kind in _MISTAKEN:
            self._fail("quote a text that begins like this")
        else:
            self._fail("a value is missing here")
        limits.require_short(found, here.where)
        return found

    def _choice(self, choices: type[Choice]) -> Choice:
        here = self._next()
        said = here.text.strip('"').lower()
        names = [choice.value for choice in choices]
        if said in names:
            return choices(said)
        near = get_close_matches(said, names, n=1)
        raise CheckRefused(
            f"one of {', '.join(names)} is expected here",
            here.where,
            suggestion=near[0] if near else None,
        )

    def _place(self) -> Place:
        here = self._here
        if here.kind not in _PLACES:
            self._fail(
                "a place is expected here",
                suggestion=f"state.{here.text}" if here.kind is Kind.WORD else None,
            )
        place = place_of(self._next())
        self._count.root(place, here.where)
        return place

    def _mark(self, mark: str) -> None:
        if self._here.kind is not Kind.MARK or self._here.text != mark:
            self._fail(f"{mark} is expected here")
        self._next()

    def _word(self, *words: str) -> str | None:
        """Take one of these words, if it stands here."""
        here = self._here
        if here.kind is not Kind.WORD or here.text.upper() not in words:
            return None
        return self._next().text.upper()

    @property
    def _here(self) -> Token:
        return self._tokens[self._at]

    def _next(self) -> Token:
        here = self._here
        if here.kind is not Kind.END:
            self._at += 1
        return here

    def _fail(
        self, what: str, *, back: int = 0, suggestion: str | None = None
    ) -> NoReturn:
        token = self._tokens[self._at - back]
        raise CheckRefused(what, token.where, suggestion=suggestion)


def _number(token: Token) -> int | float:
    if token.text.lstrip("-").isdecimal():
        limits.require_short(token.text, token.where)
        return int(token.text)
    found = float(token.text)
    if found in (float("inf"), float("-inf")):
        what = "this number is larger than a state can hold"
        raise CheckRefused(what, token.where)
    return found
