"""Values as short, harmless plain text for people.

State is hostile: control, bidirectional and invisible characters are made visible. No
HTML is made here; whoever renders escapes.
"""

import json
import unicodedata
from itertools import islice

from apps.diffs.changes import Json

LONGEST_TEXT = 60
_ITEMS = 3

# Control, format (bidi and zero-width among them), surrogate, private, unassigned, and
# the two separators that end a line.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def visible(text: str) -> str:
    """Show what would hide, reorder or break a line: NUL as ␀, others as ⟨U+202E⟩."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible_character, text))


def _visible_character(character: str) -> str:
    if unicodedata.category(character) not in _UNSAFE:
        return character
    code = ord(character)
    if code < 32:
        return chr(0x2400 + code)
    return "␡" if code == 127 else f"⟨U+{code:04X}⟩"


def shorten(text: str, longest: int = LONGEST_TEXT) -> str:
    """Cut a text, say so with an ellipsis, and make what is left visible."""
    if len(text) > longest:
        return visible(text[: longest - 1]) + "…"
    return visible(text)


def show(value: Json, longest: int = LONGEST_TEXT) -> str:
    """Write a value as a person would mention it, never longer than it is useful."""
    if isinstance(value, str):
        return shorten(value, longest) if value.strip() else f'"{visible(value[:9])}"'
    if isinstance(value, list):
        return count(len(value), "item") if value else "an empty list"
    if isinstance(value, dict):
        return _show_object(value) if value else "an empty object"
    if isinstance(value, int) and not isinstance(value, bool):
        return shorten(str(value), longest)
    return json.dumps(value)


def _show_object(value: dict[str, Json]) -> str:
    keys = ", ".join(shorten(key, 20) for key in islice(value, _ITEMS))
    more = ", …" if len(value) > _ITEMS else ""
    return f"an object ({keys}{more})"


def count(number: int, noun: str) -> str:
    """Write a number of things."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
