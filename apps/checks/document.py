"""Checks as JSON, which is how they are stored and how programs write them.

    {"all": [check, …]}   {"any": [check, …]}   {"not": check}
    {"each": place, "check": check}
    {"test": "=", "left": operand, "right": operand}     or <, <=, >, >=
    {"test": "there", "place": place}
    {"test": "type" | "format", "place": place, "is": name}
    {"test": "in", "place": place, "values": [scalar, …]}
    {"test": "contains", "place": place, "value": scalar}
    {"test": "unique", "place": place, "of": place}      `of` may be left out

A place is a root and a JSON pointer, such as `state/order/id`, `was/total` or, in a
list, `item/price`. An operand is `{"place": place}`, `{"size": place}` or
`{"sum": place, "of": place}`, on the right also `{"value": scalar}`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

from apps.checks import limits
from apps.checks.errors import CheckRefused, Where
from apps.checks.model import (
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
from apps.checks.places import checked

Choice = TypeVar("Choice", bound=StrEnum)
Document = dict[str, Any]


def document_of(check: Check) -> Document:
    """Return a check as JSON."""
    return _WRITERS[type(check)](check)


def read_document(document: Any) -> Check:
    """Return the check that a JSON document says.

    Raises: CheckRefused, with the pointer of what is wrong.
    """
    return _Reader().check(document, Where(pointer=""))


class _Reader:
    """Reads one document, and counts what is in it."""

    def __init__(self) -> None:
        self._count = limits.Count()

    def check(self, document: Any, where: Where) -> Check:
        members = _object(document, where)
        for name, read in self._readers.items():
            if name in members:
                return read(self, members, where)
        names = ", ".join(self._readers)
        raise CheckRefused(f"a check has one of {names}", where)

    def _several(self, name: str, members: Document, where: Where) -> tuple[Check, ...]:
        _only(members, where, name)
        below = where.below(name)
        listed = members[name]
        if not isinstance(listed, list) or not listed:
            raise CheckRefused("a list of checks is expected here", below)
        with self._count.level(below):
            return tuple(
                self.check(one, below.below(at)) for at, one in enumerate(listed)
            )

    def _all(self, members: Document, where: Where) -> Check:
        found = self._several("all", members, where)
        return All(found) if len(found) > 1 else found[0]

    def _any(self, members: Document, where: Where) -> Check:
        found = self._several("any", members, where)
        return AnyOf(found) if len(found) > 1 else found[0]

    def _not(self, members: Document, where: Where) -> Check:
        _only(members, where, "not")
        with self._count.level(where):
            return Not(self.check(members["not"], where.below("not")))

    def _each(self, members: Document, where: Where) -> Check:
        _only(members, where, "each", "check")
        place = self._place(members, "each", where)
        with self._count.each(where):
            return Each(place, self.check(members["check"], where.below("check")))

    def _test(self, members: Document, where: Where) -> Check:
        self._count.clause(where)
        name = members["test"]
        if not isinstance(name, str) or name not in {*Comparison, *self._tests}:
            names = ", ".join([*Comparison, *self._tests])
            raise CheckRefused(f"a test is one of {names}", where.below("test"))
        if name in set(Comparison):
            return self._compared(members, where)
        return self._tests[name](self, members, where)

    def _compared(self, members: Document, where: Where) -> Check:
        _only(members, where, "test", "left", "right")
        return Compared(
            self._measured(members["left"], where.below("left")),
            Comparison(members["test"]),
            self._operand(members["right"], where.below("right")),
        )

    def _operand(self, document: Any, where: Where) -> Operand:
        members = _object(document, where)
        if "value" not in members:
            return self._measured(members, where)
        _only(members, where, "value")
        return Literal(_scalar(members["value"], where.below("value")))

    def _measured(self, document: Any, where: Where) -> Measured:
        members = _object(document, where)
        if "place" in members:
            _only(members, where, "place")
            return self._place(members, "place", where)
        if "size" in members:
            _only(members, where, "size")
            return Size(self._place(members, "size", where))
        _only(members, where, "sum", optional=("of",))
        return Sum(self._place(members, "sum", where), self._of(members, where))

    def _there(self, members: Document, where: Where) -> Check:
        _only(members, where, "test", "place")
        return There(self._place(members, "place", where))

    def _type(self, members: Document, where: Where) -> Check:
        _only(members, where, "test", "place", "is")
        place = self._place(members, "place", where)
        return HasType(place, _choice(Type, members, where))

    def _format(self, members: Document, where: Where) -> Check:
        _only(members, where, "test", "place", "is")
        place = self._place(members, "place", where)
        return HasFormat(place, _choice(Format, members, where))

    def _one_of(self, members: Document, where: Where) -> Check:
        _only(members, where, "test", "place", "values")
        below = where.below("values")
        values = members["values"] if isinstance(members["values"], list) else []
        limits.require_few(values, below)
        return OneOf(
            self._place(members, "place", where),
            tuple(_scalar(one, below.below(at)) for at, one in enumerate(values)),
        )

    def _contains(self, members: Document, where: Where) -> Check:
        _only(members, where, "test", "place", "value")
        place = self._place(members, "place", where)
        return Contains(place, _scalar(members["value"], where.below("value")))

    def _unique(self, members: Document, where: Where) -> Check:
        _only(members, where, "test", "place", optional=("of",))
        place = self._place(members, "place", where)
        return Unique(place, self._of(members, where))

    def _place(self, members: Document, name: str, where: Where) -> Place:
        place = _read_place(members[name], where.below(name))
        self._count.root(place, where.below(name))
        return place

    def _of(self, members: Document, where: Where) -> Place | None:
        if members.get("of") is None:
            return None
        place = _read_place(members["of"], where.below("of"))
        if place.root is not Root.ITEM:
            raise CheckRefused("a place in an item is expected here", where.below("of"))
        return place

    _readers = {
        "all": _all,
        "any": _any,
        "not": _not,
        "each": _each,
        "test": _test,
    }
    _tests = {
        "there": _there,
        "type": _type,
        "format": _format,
        "in": _one_of,
        "contains": _contains,
        "unique": _unique,
    }


def _object(document: Any, where: Where) -> Document:
    if not isinstance(document, dict):
        raise CheckRefused("an object is expected here", where)
    return document


def _only(
    members: Document, where: Where, *names: str, optional: tuple[str, ...] = ()
) -> None:
    """Raises: CheckRefused for a member too many, or one that is missing."""
    for name in members:
        if name not in names and name not in optional:
            raise CheckRefused("nothing of this name belongs here", where.below(name))
    for name in names:
        if name not in members:
            raise CheckRefused(f"{name} is missing", where)


def _read_place(text: Any, where: Where) -> Place:
    root, slash, rest = text.partition("/") if isinstance(text, str) else ("", "", "")
    if root not in set(Root):
        roots = ", ".join(Root)
        raise CheckRefused(f"a place begins with one of {roots}", where)
    return checked(Place(Root(root), slash + rest), where)


def _scalar(value: Any, where: Where) -> Scalar:
    if isinstance(value, (dict, list)):
        raise CheckRefused("a text, number, true, false or null is expected", where)
    limits.require_short(value, where)
    return value  # type: ignore[no-any-return]


def _choice(choices: type[Choice], members: Document, where: Where) -> Choice:
    name = members["is"]
    if not isinstance(name, str) or name not in set(choices):
        names = ", ".join(choices)
        raise CheckRefused(f"one of {names} is expected here", where.below("is"))
    return choices(name)


def _text(place: Place) -> str:
    return f"{place.root}{place.pointer}"


def _of_text(of: Place | None) -> Document:
    return {} if of is None else {"of": _text(of)}


def _operand_of(operand: Operand) -> Document:
    if isinstance(operand, Literal):
        return {"value": operand.value}
    if isinstance(operand, Place):
        return {"place": _text(operand)}
    if isinstance(operand, Size):
        return {"size": _text(operand.place)}
    return {"sum": _text(operand.place)} | _of_text(operand.of)


def _test_of(name: str, place: Place, **members: Any) -> Document:
    return {"test": name, "place": _text(place)} | members


_WRITERS: dict[type, Callable[[Any], Document]] = {
    All: lambda check: {"all": [document_of(one) for one in check.checks]},
    AnyOf: lambda check: {"any": [document_of(one) for one in check.checks]},
    Not: lambda check: {"not": document_of(check.check)},
    Each: lambda check: {
        "each": _text(check.place),
        "check": document_of(check.check),
    },
    Compared: lambda check: {
        "test": check.comparison.value,
        "left": _operand_of(check.left),
        "right": _operand_of(check.right),
    },
    There: lambda check: _test_of("there", check.place),
    HasType: lambda check: _test_of("type", check.place, **{"is": check.type.value}),
    HasFormat: lambda check: _test_of(
        "format", check.place, **{"is": check.format.value}
    ),
    OneOf: lambda check: _test_of("in", check.place, values=list(check.values)),
    Contains: lambda check: _test_of("contains", check.place, value=check.value),
    Unique: lambda check: _test_of("unique", check.place, **_of_text(check.of)),
}
