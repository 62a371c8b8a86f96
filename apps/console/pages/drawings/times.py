"""Moments as pages write them: exactly, or by how long ago they were."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.utils import timezone
from django.utils.html import format_html
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


def exact_moment(at: datetime) -> SafeString:
    """Write a time exactly; in the reader's own zone where they chose that."""
    return _exact_time(at, exact(at))


def minute_moment(at: datetime) -> SafeString:
    """Write a time to the minute, where that is what it means; as `exact_moment`."""
    utc = at.astimezone(UTC)
    return _exact_time(at, f"{utc:%a} {utc.day} {utc:%b %Y, %H:%M} UTC")


def _exact_time(at: datetime, words: str) -> SafeString:
    return format_html(
        '<time class="exact" datetime="{}">{}</time>', at.isoformat(), words
    )


def day(at: datetime) -> SafeString:
    """Write the date of a time."""
    return format_html(
        '<time class="day" datetime="{}" title="{}">{}</time>',
        at.isoformat(),
        exact(at),
        f"{at:%Y-%m-%d}",
    )


def clock(at: datetime) -> SafeString:
    """Write the time of day, with the exact moment on hover and for machines."""
    return format_html(
        '<time class="clock" datetime="{}" title="{}">{}</time>',
        at.isoformat(),
        exact(at),
        f"{at:%H:%M:%S}",
    )


def dated_clock(at: datetime) -> SafeString:
    """Write the time of day, of what is older than a day with its date before it."""
    if timezone.now() - at < timedelta(days=1):
        return clock(at)
    return format_html("{} {}", day(at), clock(at))
