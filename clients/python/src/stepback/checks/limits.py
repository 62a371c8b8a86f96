# Written by make_sync.py from apps/checks/limits.py: do not edit.
"""What a check may be at most, however it is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from stepback.checks.errors import CheckRefused, Where
from stepback.checks.model import Place, Root, Scalar

MOST_CLAUSES = 64
MOST_VALUES = 64
DEEPEST = 16
DEEPEST_EACH = 2
LONGEST_VALUE = 500
# Digits of an integer, in bits.
_BITS = LONGEST_VALUE * 10 // 3


class Count:
    """Counts the tests and levels of a check while it is read."""

    def __init__(self) -> None:
        self._clauses = 0
        self._levels = 0
        self._eaches = 0

    def clause(self, where: Where) -> None:
        """Raises: CheckRefused."""
        self._clauses += 1
        if self._clauses > MOST_CLAUSES:
            raise CheckRefused(f"a check has at most {MOST_CLAUSES} tests", where)

    @contextmanager
    def level(self, where: Where) -> Iterator[None]:
        """Raises: CheckRefused."""
        self._levels += 1
        if self._levels > DEEPEST:
            raise CheckRefused(f"a check nests at most {DEEPEST} levels", where)
        yield
        self._levels -= 1

    @contextmanager
    def each(self, where: Where) -> Iterator[None]:
        """Raises: CheckRefused."""
        self._eaches += 1
        if self._eaches > DEEPEST_EACH:
            raise CheckRefused(f"EACH nests at most {DEEPEST_EACH} deep", where)
        with self.level(where):
            yield
        self._eaches -= 1

    def root(self, place: Place, where: Where) -> None:
        """Raises: CheckRefused for an item where there is no list around."""
        if place.root is Root.ITEM and not self._eaches:
            raise CheckRefused("item stands within EACH alone", where)


def require_short(value: Scalar, where: Where) -> None:
    """Raises: CheckRefused for a text, or digits, that are too long."""
    is_long = (
        value.bit_length() > _BITS
        if isinstance(value, int)
        else isinstance(value, str) and len(value) > LONGEST_VALUE
    )
    if is_long:
        raise CheckRefused(f"a value has at most {LONGEST_VALUE} characters", where)


def require_few(values: Sequence[object], where: Where) -> None:
    """Raises: CheckRefused for an empty or a long list."""
    if not 0 < len(values) <= MOST_VALUES:
        raise CheckRefused(f"a list has 1 to {MOST_VALUES} values", where)
