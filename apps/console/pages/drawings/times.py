"""Moments as pages write them: exactly, or by how long ago they were."""

from __future__ import annotations

from datetime import datetime

from django.utils.safestring import SafeString

from apps.console.pages.drawings.markup import filled

AGES = (
    (60, 1, "s"),
    (3_600, 60, "min"),
    (86_400, 3_600, "h"),
    (30 * 86_400, 86_400, "d"),
)
MOMENT = '<time class="{kind}" datetime="{at}" title="{exact}">{words}</time>'


def moment(at: datetime, now: datetime) -> SafeString:
    """Write a time relative to now, with the exact one on hover and for machines."""
    words = relative(at, now)
    # A day is another one elsewhere, so it is marked to be written anew.
    kind = "day" if "-" in words else "age"
    return filled(MOMENT, kind=kind, at=at.isoformat(), exact=exact(at), words=words)


def exact(at: datetime) -> str:
    """Write a time so that it means one moment, wherever it is read."""
    return f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03} UTC"


def relative(at: datetime, now: datetime) -> str:
    """Say how long ago, or in how long; after a month the date says more."""
    seconds = (now - at).total_seconds()
    age = abs(seconds)
    if age < 5:
        return "just now"
    for below, unit, name in AGES:
        if age < below:
            amount = f"{age // unit:.0f} {name}"
            return f"{amount} ago" if seconds > 0 else f"in {amount}"
    return f"{at:%Y-%m-%d}"
