"""Values as short, harmless plain text for people.

State is hostile: control, bidirectional and invisible characters are made visible. No
HTML is made here; whoever renders escapes.
"""

import json
import re
from itertools import islice

from apps.diffs.changes import CutList, Json
from apps.diffs.graphemes import boundary, cut, has_right_to_left, visible
from apps.diffs.readers import drawn

__all__ = [
    "count",
    "cut",
    "isolated",
    "isolated_strings",
    "one_line",
    "shorten",
    "shorten_middle",
    "show",
    "visible",
]

LONGEST_TEXT = 60
_ITEMS = 3
# A string of JSON; the last one may be cut.
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"?')


def shorten(text: str, longest: int = LONGEST_TEXT) -> str:
    """Cut a text, say so with an ellipsis, and make what is left visible."""
    text = drawn(text)
    if len(text) > longest:
        return visible(cut(text, longest - 1)) + "…"
    return visible(text)


def one_line(text: str, longest: int) -> str:
    """Shorten to one line that hides nothing."""
    line = " ".join(cut(text, longest * 2).split())
    is_whole = len(text) <= longest * 2 or len(line) > longest
    return shorten(line, longest) + ("" if is_whole else "…")


def shorten_middle(text: str, longest: int) -> str:
    """Cut a name in its middle: what tells names apart is often their end."""
    text = drawn(text)
    if len(text) <= longest:
        return visible(text)
    # Where a cluster begins in the middle of what is left, it stays whole.
    end = boundary(text, len(text) - longest // 2)
    return f"{visible(cut(text, longest - longest // 2 - 1))}…{visible(text[end:])}"


def isolated(text: str) -> str:
    """Keep a text written from right to left from reordering what is around it.

    For plain text alone: between the invisible FSI and PDI, as in HTML in a <bdi>.
    """
    return f"\u2068{text}\u2069" if has_right_to_left(text) else text


def isolated_strings(text: str) -> str:
    """Isolate each string of JSON that is shown: a key stays before its value."""
    if not has_right_to_left(text):
        return text
    return _STRING.sub(lambda found: isolated(found[0]), text)


def show(value: Json, longest: int = LONGEST_TEXT) -> str:
    """Write a value as a person would mention it, never longer than it is useful."""
    if isinstance(value, str):
        return shorten(value, longest) if value.strip() else f'"{visible(value[:9])}"'
    if isinstance(value, list):
        n_items = value.length if isinstance(value, CutList) else len(value)
        return count(n_items, "item") if value else "an empty list"
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
