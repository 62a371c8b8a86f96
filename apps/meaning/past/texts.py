"""The text of a version that is embedded: its reasoning, then what it changed. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from apps.core.json import Json
from apps.meaning.embedding import LONGEST_TEXT

# What a value says beyond this hardly changes what the whole means.
LONGEST_VALUE = 300
_APART = re.compile(r"[^0-9a-zA-Z\u0080-\uffff]+")


def text_of(reasoning: str | None, changes: Sequence[Mapping[str, Any]]) -> str:
    """Return at most 2,000 characters; an empty text where nothing was said or done."""
    parts = [reasoning or ""]
    room = LONGEST_TEXT - len(parts[0])
    for change in changes:
        if room <= 0:
            break
        parts.append(_told(change))
        room -= len(parts[-1]) + 1
    return "\n".join(part for part in parts if part)[:LONGEST_TEXT].strip()


def _told(change: Mapping[str, Any]) -> str:
    """Tell a change: the words of its place, and the value that stands there now."""
    place = " ".join(_APART.sub(" ", str(change.get("pointer", ""))).split())
    if change.get("kind") == "removed":
        return f"{place} removed"
    if change.get("after") is None:
        return f"{place}: null"
    value = " ".join(_words(change.get("after")))[:LONGEST_VALUE]
    return f"{place}: {value}" if value else place


def _words(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield " ".join(_APART.sub(" ", key).split())
            yield from _words(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _words(inner)
    elif isinstance(value, str):
        yield value
    elif value is not None:
        yield str(value).lower()
