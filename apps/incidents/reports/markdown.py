"""Markdown in which what people and agents wrote is text, and nothing else.

Every sign that Markdown gives a meaning is escaped, also those by which readers turn
addresses into links; signs that hide or reorder text are made visible.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from apps.diffs.text import visible

# All punctuation of ASCII: a backslash before any of it makes it plain.
_SIGN = re.compile(r"[!-/:-@\[-`{-~]")


def plain(text: str) -> str:
    """Write a text in one line."""
    return _SIGN.sub(r"\\\g<0>", visible(" ".join(text.split())))


def quoted(text: str) -> str:
    """Write a text of several lines as a quotation within an item of a list."""
    lines = [plain(line) for line in text.splitlines()]
    return "\n".join(f"  > {line}".rstrip() for line in lines)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table; its cells are Markdown already."""
    said = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in said)
