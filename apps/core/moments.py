"""Moments as people and programs write them: ISO 8601, read into UTC."""

import re
from datetime import UTC, datetime

_MOMENT = re.compile(
    r"\d{4}-\d{2}-\d{2}"
    r"(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|z|[+\- ]\d{2}:?\d{2})?)?",
    re.ASCII,
)
# A plus sign that the caller did not escape arrives as a space.
_UNESCAPED_PLUS = re.compile(r" (?=\d{2}:?\d{2}$)", re.ASCII)


def moment(text: str) -> datetime:
    """Return a moment in UTC: of a date its midnight, without a zone in UTC.

    Raises: ValueError, OverflowError.
    """
    if not _MOMENT.fullmatch(text):
        raise ValueError("no date of ISO 8601")
    if len(text) > len("2026-01-31T12:00:00"):
        text = _UNESCAPED_PLUS.sub("+", text)
    found = datetime.fromisoformat(text.replace("z", "Z"))
    if found.tzinfo is None:
        return found.replace(tzinfo=UTC)
    return found.astimezone(UTC)
