"""Regular expressions that take linear time: a typed wrapper of RE2.

Python's own `re` backtracks, so `(a+)+$` stops a process; no text of a caller and no
pattern of a user meets it. RE2 never logs here: its messages name the pattern.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import re2

# What one expression may take, most of it for states that RE2 builds as texts need
# them: the product's own, and each of a user's hundred.
MEMORY_BYTES = 8 << 20
USER_MEMORY_BYTES = 1 << 20
# The set's states are built once and kept, else it falls back to one by one.
SET_MEMORY_BYTES = 64 << 20
# The group that holds the value where a pattern begins with its label.
VALUE = "value"


class BadExpression(Exception):
    """RE2 does not take this pattern; the text says why, in RE2's words."""


@dataclass(frozen=True, slots=True)
class Span:
    """A match in a text: all of it, and the part that is the value."""

    start: int
    end: int
    value_start: int
    value_end: int


class Expression:
    """One compiled pattern, for texts in UTF-8."""

    def __init__(self, pattern: str, *, users: bool = False) -> None:
        """Compile it; a user's pattern has no groups that matter.

        Raises: BadExpression.
        """
        memory = USER_MEMORY_BYTES if users else MEMORY_BYTES
        options = _options(memory, captures=not users)
        try:
            self._compiled: Any = re2.compile(pattern, options)
        except (re2.error, UnicodeEncodeError) as error:
            raise BadExpression(_words(error)) from None
        self._group = 0 if users else self._compiled.groupindex.get(VALUE, 0)

    @property
    def size(self) -> int:
        """Return the instructions of the program: what a byte costs at worst."""
        return max(int(self._compiled.programsize), 1)

    def first(self, text: bytes) -> Span | None:
        return next(self.each(text), None)

    def each(self, text: bytes) -> Iterator[Span]:
        """Yield the matches from left to right; none overlaps another."""
        for match in self._compiled.finditer(text):
            yield Span(*match.span(), *match.span(self._group))


class ExpressionSet:
    """Many patterns in one pass over a text."""

    def __init__(
        self, patterns: Sequence[str], *, memory: int = SET_MEMORY_BYTES
    ) -> None:
        self._count = len(patterns)
        self._set: Any = re2.Set.SearchSet(_options(memory, captures=False))
        for pattern in patterns:
            self._set.Add(pattern)
        # The empty pattern is in every text, so that its absence says that RE2 gave
        # up for want of memory; RE2's answer alone looks as if nothing was found.
        self._set.Add("")
        self._set.Compile()

    def found_in(self, text: bytes) -> list[int]:
        """Return which patterns may be in the text: all, if memory did not suffice."""
        found = self._set.Match(text) or []
        if self._count not in found:
            return list(range(self._count))
        return sorted(one for one in found if one < self._count)


def _options(memory: int, *, captures: bool) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = memory
    options.never_capture = not captures
    return options


def _words(error: Exception) -> str:
    said = error.args[0] if error.args else ""
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else "not UTF-8"
