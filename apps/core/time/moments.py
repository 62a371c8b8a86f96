"""Moments as people and programs write them: ISO 8601, read into UTC."""

import re
from datetime import UTC, datetime, tzinfo

_MOMENT = re.compile(
    r"\d{4}-\d{2}-\d{2}"
    r"(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|z|[+\- ]\d{2}:?\d{2})?)?",
    re.ASCII,
)
# A plus sign that the caller did not escape arrives as a space.
_UNESCAPED_PLUS = re.compile(r" (?=\d{2}:?\d{2}$)", re.ASCII)


def moment(text: str, zone: tzinfo = UTC) -> datetime:
    """Return a moment in UTC: of a date its midnight, without a zone in this one.

    Raises: ValueError, OverflowError.
    """
    if not _MOMENT.fullmatch(text):
        raise ValueError("no date of ISO 8601")
    if len(text) > len("2026-01-31T12:00:00"):
        text = _UNESCAPED_PLUS.sub("+", text)
    found = datetime.fromisoformat(text.replace("z", "Z"))
    if found.tzinfo is None:
        found = found.replace(tzinfo=zone)
    return found.astimezone(UTC)


def utc_text(value: datetime | None) -> str | None:
    """Write a moment as answers do: ISO 8601, UTC, with Z."""
    if value is None:
        return None
    return value.astimezone(UTC).isoformat(timespec="microseconds")[:-6] + "Z"


def clock_text(at: datetime, zone: tzinfo) -> str:
    """Write a moment as the clocks of a zone show it, for `moment` to read back.

    An hour that a zone has twice says the second time how far from UTC it is.
    """
    local = at.astimezone(zone)
    plain = local.replace(tzinfo=None, fold=0)
    if plain.replace(tzinfo=zone).astimezone(UTC) != at:
        return local.isoformat()
    return plain.isoformat().removesuffix(":00")
