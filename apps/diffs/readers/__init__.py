"""Who is looking, and what they may not see."""

from apps.diffs.readers.looking import (
    Reader,
    drawn,
    drawn_value,
    hides_at,
    look_on,
    looking,
    reader,
    require_clear,
)

__all__ = [
    "Reader",
    "drawn",
    "drawn_value",
    "hides_at",
    "look_on",
    "looking",
    "reader",
    "require_clear",
]
