"""Rules of guards: what each kind takes, as JSON and as one line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

from apps.checks import CheckRefused, read_text, write_text
from apps.core import json
from apps.core.errors import DomainError
from apps.core.json.schemas import NotASchema, Shape
from apps.diffs import pointers
from apps.guards.words import Kind

MOST_FIELDS = 20
LONGEST_FIELD = 500
LONGEST_SCHEMA = 64 * 1024

# What is looked at of a write: its state, its turn, and the turns before that.
OF_STATES = frozenset(
    {
        *(Kind.SCHEMA, Kind.CHECK, Kind.NULL_SPREE, Kind.UNVERIFIED, Kind.CONFIRMATION),
        *(Kind.PERMISSION_DENIED, Kind.LOW_CONFIDENCE),
    }
)
OF_TURNS = frozenset(
    {
        *(Kind.LOOP, Kind.CONTEXT_OVERFLOW, Kind.FAILING_TOOLS),
        *(Kind.PERMISSION_DENIED, Kind.LOW_CONFIDENCE),
    }
)
OF_EARLIER = frozenset({Kind.LOOP, Kind.CONTEXT_OVERFLOW, Kind.FAILING_TOOLS})
# The one value that a kind takes, and what it is where nothing is said.
PARAMS = {
    Kind.SCHEMA: "schema",
    Kind.CHECK: "check",
    Kind.LOOP: "times",
    Kind.CONTEXT_OVERFLOW: "turns",
    Kind.NULL_SPREE: "values",
    Kind.UNVERIFIED: "fields",
    Kind.FAILING_TOOLS: "failures",
    Kind.LOW_CONFIDENCE: "least",
    Kind.CONFIRMATION: "attempts",
}
USUAL: dict[Kind, Any] = {
    Kind.LOOP: 5,
    Kind.CONTEXT_OVERFLOW: 30,
    Kind.NULL_SPREE: 2,
    Kind.FAILING_TOOLS: 3,
    Kind.LOW_CONFIDENCE: "0.7",
    Kind.CONFIRMATION: 3,
}
WHOLE = {
    Kind.LOOP: (2, 20),
    Kind.CONTEXT_OVERFLOW: (1, 1_000_000),
    Kind.NULL_SPREE: (1, 1_000),
    Kind.FAILING_TOOLS: (1, 19),
    Kind.CONFIRMATION: (1, 1_000),
}


class RuleRefused(ValueError):
    """Refuse a rule: what is wrong, and with what of it."""

    def __init__(self, message: str, param: str) -> None:
        super().__init__(message)
        self.message, self.param = message, param


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that can be asked; `value` is what its kind is asked with."""

    kind: Kind
    value: Any = None


def read_rule(kind: Kind, said: Mapping[str, Any]) -> tuple[Rule, dict[str, Any]]:
    """Return the rule, and as what it is kept.

    Raises: RuleRefused.
    """
    name = PARAMS.get(kind)
    for given in said:
        if given != name:
            takes = f"takes {name} alone" if name else "takes nothing"
            raise RuleRefused(f"A guard of the kind {kind} {takes}.", given)
    if name is None:
        return Rule(kind), {}
    value = said.get(name, USUAL.get(kind))
    if value is None:
        raise RuleRefused(f"A guard of the kind {kind} needs {name}.", name)
    ready, kept = READERS[kind](kind, value)
    return Rule(kind, ready), {name: kept}


def read_line(kind: Kind, line: str) -> dict[str, Any]:
    """Return the rule that one line says, as `read_rule` takes it.

    Raises: RuleRefused.
    """
    name, text = PARAMS.get(kind), line.strip()
    if name is None:
        if text:
            raise RuleRefused(f"A guard of the kind {kind} takes nothing.", "line")
        return {}
    if not text and kind in USUAL:
        return {}
    return {name: _written(kind, name, text)}


def line_of(kind: Kind, kept: Mapping[str, Any]) -> str:
    """Write a kept rule as the one line that is read back."""
    name = PARAMS.get(kind)
    value = None if name is None else kept.get(name)
    if value is None:
        return ""
    if isinstance(value, list):
        return " ".join(value)
    return value if isinstance(value, str) else json.dumps(value).decode()


def _written(kind: Kind, name: str, text: str) -> Any:
    """Raises: RuleRefused."""
    if kind is Kind.UNVERIFIED:
        return text.split()
    if kind in WHOLE:
        if not text.isascii() or not text.isdigit() or len(text) > 7:
            raise RuleRefused("This takes a whole number.", name)
        return int(text)
    if kind is Kind.SCHEMA:
        try:
            return json.parse(text.encode())
        except DomainError as refused:
            raise RuleRefused(refused.message, name) from None
    return text


def _check(kind: Kind, value: Any) -> tuple[Any, Any]:
    if not isinstance(value, str):
        raise RuleRefused("A check is one line of text.", "check")
    try:
        check = read_text(value)
    except CheckRefused as refused:
        raise RuleRefused(refused.sentence, "check") from None
    return check, write_text(check)


def _schema(kind: Kind, value: Any) -> tuple[Any, Any]:
    if not isinstance(value, dict):
        raise RuleRefused("A schema is a JSON object.", "schema")
    if len(json.dumps(value)) > LONGEST_SCHEMA:
        raise RuleRefused(
            f"A schema takes at most {LONGEST_SCHEMA >> 10} KiB.", "schema"
        )
    try:
        return Shape(value), value
    except NotASchema as refused:
        raise RuleRefused(refused.message, f"schema{refused.at}") from None


def _whole(kind: Kind, value: Any) -> tuple[Any, Any]:
    least, most = WHOLE[kind]
    if type(value) is not int or not least <= value <= most:
        raise RuleRefused(
            f"This takes a whole number from {least} to {most:,}.", PARAMS[kind]
        )
    return value, value


def _share(kind: Kind, value: Any) -> tuple[Any, Any]:
    text = str(value) if isinstance(value, (int, float, str)) else ""
    is_share = len(text) <= 12 and text.replace(".", "", 1).isdigit() and text.isascii()
    if isinstance(value, bool) or not is_share or not 0 < Decimal(text) <= 1:
        raise RuleRefused("This takes a number above 0 and up to 1, as 0.7.", "least")
    return Decimal(text), format(Decimal(text).normalize(), "f")


def _fields(kind: Kind, value: Any) -> tuple[Any, Any]:
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_FIELDS:
        raise RuleRefused(f"Name 1 to {MOST_FIELDS} fields.", "fields")
    read = []
    for one in value:
        if not isinstance(one, str) or not 1 < len(one) <= LONGEST_FIELD:
            raise RuleRefused("A field is a pointer, as /destination.", "fields")
        try:
            tokens = pointers.split(one)
        except ValueError as refused:
            raise RuleRefused(str(refused), "fields") from None
        if tokens[-1] == "" or "\0" in one:
            raise RuleRefused("A field is a pointer, as /destination.", "fields")
        read.append((one, tuple(tokens)))
    return tuple(read), list(value)


READERS: dict[Kind, Callable[[Kind, Any], tuple[Any, Any]]] = {
    Kind.SCHEMA: _schema,
    Kind.CHECK: _check,
    Kind.UNVERIFIED: _fields,
    Kind.LOW_CONFIDENCE: _share,
    **dict.fromkeys(WHOLE, _whole),
}


@lru_cache(maxsize=1_000)
def ready(kind: str, kept: bytes) -> Rule:
    """Return a kept rule, read once in a process.

    Raises: RuleRefused where this version cannot read it.
    """
    rule, _ = read_rule(Kind(kind), json.parse(kept))
    return rule
