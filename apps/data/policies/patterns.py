"""A project's own patterns: names and regular expressions that RE2 takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from apps.data.policies.errors import InvalidPolicy
from apps.data.policies.expressions import BadExpression, Expression

MOST = 100
LONGEST = 1_000
LONGEST_NAME = 100
# RE2 is linear in the text, but where the states of a pattern are too many to keep, it
# simulates them all for each byte: 13 ns an instruction, so 7 s for a megabyte at this
# size. `.{0,50}` has 450 instructions, `.*` has 10.
MOST_INSTRUCTIONS = 500
FIELDS = {"name", "regex"}


@dataclass(frozen=True, slots=True)
class Pattern:
    """A named pattern; equal if written alike."""

    name: str
    regex: str
    expression: Expression = field(compare=False, repr=False)

    def is_in(self, text: bytes) -> bool:
        return self.expression.first(text) is not None


def read(value: object, at: str) -> tuple[Pattern, ...]:
    """Return the patterns of a config. Raises: InvalidPolicy at the first bad one."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise InvalidPolicy(
            'custom_blocked_patterns is a list of {"name": …, "regex": …}.', param=at
        )
    if len(value) > MOST:
        raise InvalidPolicy(f"There are at most {MOST} patterns.", param=at)
    found = tuple(_pattern(one, f"{at}/{number}") for number, one in enumerate(value))
    names: set[str] = set()
    for number, one in enumerate(found):
        if one.name in names:
            raise InvalidPolicy(
                "Another pattern has this name.", param=f"{at}/{number}/name"
            )
        names.add(one.name)
    return found


def _pattern(value: object, at: str) -> Pattern:
    if not isinstance(value, Mapping) or set(value) != FIELDS:
        raise InvalidPolicy(
            'A pattern is an object with "name" and "regex", and nothing else.',
            param=at,
        )
    name = _text(value["name"], f"{at}/name", LONGEST_NAME)
    regex = _text(value["regex"], f"{at}/regex", LONGEST)
    return Pattern(name, regex, _compiled(regex, f"{at}/regex"))


def _text(value: Any, at: str, longest: int) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InvalidPolicy("This is a text, and not empty.", param=at)
    if len(value) > longest:
        raise InvalidPolicy(f"This has at most {longest} characters.", param=at)
    return value


def _compiled(regex: str, at: str) -> Expression:
    try:
        expression = Expression(regex, users=True)
    except BadExpression as error:
        raise InvalidPolicy(
            f"RE2 does not take this pattern: {error}. It has no look-around and no "
            "backreferences, and no large repetitions.",
            param=at,
        ) from None
    if expression.size > MOST_INSTRUCTIONS:
        raise InvalidPolicy(
            f"This pattern's repetitions are too large: {expression.size} "
            f"instructions, at most {MOST_INSTRUCTIONS}. Use * or + instead of counts.",
            param=at,
        )
    if expression.first(b"") is not None:
        raise InvalidPolicy(
            "This pattern matches the empty text, so it would block every write.",
            param=at,
        )
    return expression
