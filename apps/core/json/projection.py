"""Small copies of values for jsonb columns: lists and facets, never the truth.

jsonb refuses NUL, forgets how numbers were spelled, and prints 1e131071 as 131,072
digits; what is shown from it is therefore cleaned first.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

_LEFT_OUT = re.compile(r"… ([1-9][0-9]*) more")


def _beginning(text: str, longest: int) -> str:
    return text[:longest]


def cleaned(
    value: Any,
    *,
    max_string: int = 200,
    max_depth: int = 8,
    max_entries: int = 1000,
    cut: Callable[[str, int], str] = _beginning,
) -> Any:
    """Return a small copy that jsonb can hold: no more than is shown.

    NUL is shown as ␀, long strings end in …, numbers that jsonb would refuse or
    print at length are text, deeper containers are …, and what is left out after
    `max_entries` values is counted under the key … (in lists, as a last item).
    `cut` shortens texts; what is compared with what was kept has to cut alike.
    """
    kind = type(value)
    if kind is str and len(value) <= max_string and "\x00" not in value:
        return value
    if value is None or kind is bool:
        return value
    return _Cleaner(max_string, max_entries, cut).copy(value, max_depth)


def items_left_out(kept: Sequence[Any]) -> int:
    """Return how many items a list that `cleaned` kept says to have left out."""
    last = kept[-1] if kept else None
    found = _LEFT_OUT.fullmatch(last) if isinstance(last, str) else None
    return int(found[1]) if found else 0


class _Cleaner:
    """Copies values for jsonb until its budget of entries is spent."""

    def __init__(
        self, max_string: int, max_entries: int, cut: Callable[[str, int], str]
    ) -> None:
        self.max_string = max_string
        self.left = max_entries
        self.cut = cut

    def copy(self, value: Any, room: int) -> Any:
        if isinstance(value, (dict, list, tuple)):
            if room == 0:
                return "…"
            if isinstance(value, dict):
                return self._object(value, room - 1)
            return self._list(value, room - 1)
        if isinstance(value, str):
            return self._text(value)
        if type(value) in (int, float) and not _prints_shortly(value):
            return self._text(_spelled(value))
        return value

    def _object(self, value: dict[str, Any], room: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for count, (key, child) in enumerate(value.items()):
            if self.left <= 0:
                return {**result, "…": f"{len(value) - count} more"}
            self.left -= 1
            # Two keys may look alike once cut: the first is kept.
            result.setdefault(self._text(key), self.copy(child, room))
        return result

    def _list(self, value: Sequence[Any], room: int) -> list[Any]:
        result: list[Any] = []
        for count, child in enumerate(value):
            if self.left <= 0:
                return [*result, f"… {len(value) - count} more"]
            self.left -= 1
            result.append(self.copy(child, room))
        return result

    def _text(self, value: str) -> str:
        if len(value) > self.max_string:
            value = self.cut(value, self.max_string - 1) + "…"
        return value.replace("\x00", "␀")


def _prints_shortly(number: float) -> bool:
    """Tell whether jsonb prints the number in some 20 digits: it knows no exponents."""
    if isinstance(number, int):
        return -(2**63) <= number < 2**64
    return number == 0 or 1e-15 <= abs(number) < 1e22


def _spelled(number: float) -> str:
    try:
        return str(number)
    except ValueError:  # more digits than Python prints: the parser refuses them too
        return "…"
