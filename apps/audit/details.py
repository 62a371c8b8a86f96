"""Cleans the details of an act, so that jsonb can hold them and give them back.

What jsonb would refuse (NUL, lone surrogates) or hand back changed (floats, whole
numbers beyond a double) becomes text; otherwise a leaf could not be recomputed from
the row. Long texts are cut: whoever needs them follows the resource.
"""

from collections.abc import Mapping
from typing import Any

LONGEST_TEXT = 200
LARGEST_NUMBER = 2**53


def cleaned(value: Any) -> Any:
    """Return the value as JSON that survives jsonb unchanged."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return int(value) if abs(value) <= LARGEST_NUMBER else _text(str(value))
    if isinstance(value, Mapping):
        return {_text(str(key)): cleaned(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [cleaned(item) for item in value]
    return _text(str(value))


def _text(value: str) -> str:
    shown = value.replace("\0", "\N{SYMBOL FOR NULL}")
    shown = shown.encode("utf-8", "replace").decode()
    return shown if len(shown) <= LONGEST_TEXT else shown[: LONGEST_TEXT - 1] + "…"
