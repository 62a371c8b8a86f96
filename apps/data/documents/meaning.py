"""What of a value is embedded: its text, behind the words of its key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

# Ids, numbers and dates in a key are nobody's question, and pull the mean away.
_WORD = re.compile(r"(?<![^\W_])[^\W\d_]{2,}(?![^\W_])")
KEPT = {"key", "value", "metadata", "expires_at"}


def text_of(body: Mapping[str, Any]) -> str | None:
    """Return the text of a body that was written under a key; None for others."""
    key, value = body.get("key"), body.get("value")
    # What has more is kept by others.
    if body.keys() - KEPT:
        return None
    if not isinstance(key, str) or not isinstance(value, str):
        return None
    words = " ".join(_WORD.findall(key))
    return f"{words} {value}".strip()
