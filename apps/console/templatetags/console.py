"""Formatting for the console's templates: hostile text, moments, sizes.

Nothing here marks text as safe except tags that are built by `format_html`, and shapes
that stand here.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import metadata

from django import template
from django.template import Context
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from apps.console.pages.drawings.version_strip import Strip
from apps.console.pages.metrics import charts
from apps.console.pages.project import first_session, session_rows
from apps.console.pages.project import sidebar as sidebars
from apps.console.pages.session import version_text
from apps.console.pages.session.snippets import Snippet
from apps.core.http.stylesheet import stylesheet_address
from apps.core.views import DISTRIBUTION
from apps.diffs import text
from apps.metrics.alerting import measures
from apps.metrics.models import Rule
from apps.retention import health as retention
from apps.worker import health

register = template.Library()

AGES = (
    (60, 1, "s"),
    (3_600, 60, "min"),
    (86_400, 3_600, "h"),
    (30 * 86_400, 86_400, "d"),
)

# Of a pointer, each with the slash before it.
PARTS = re.compile(r"/?[^/]+|/")

# Drawn once in the sprite; beside a word, so that a reader need not be told.
ICON = '<svg class="icon" aria-hidden="true"><use href="{}#{}"/></svg>'

# A bar of the strip, where it can be hit, and the mark above it.
BAR = (
    '<a href="{base}/versions/{number}#v{number}" tabindex="-1">'
    "<title>{words}</title>"
    '<path class="hit" d="M{x} 0h{width}v{whole}h-{width}z"/>'
    '<path class="bar{selected}" d="M{x} {y}h{width}v{height}h-{width}z"/>{mark}</a>'
)
MARK = '<path class="mark-{}" transform="translate({} 7)" d="{}"/>'
MARKS = {
    "rollback": "M0,-6L5,0L0,6L-5,0Z",
    "flag": "M0,-6L5,5L-5,5Z",
    "fork": "M-4,-5V0Q-4,2 0,2Q4,2 4,0V-5H2V0H-2V-5ZM-1,2H1V6H-1Z",
}


# One version of a row's strip, 10 wide and 22 high: its bar or shape, and a mark above.
TICKS = {
    "update": '<path class="bar" d="M1 14h7v7h-7z"/>',
    "flag": '<path class="flag" d="M1 14h7v7h-7zM4.5 4l4 7h-8z"/>',
    "good": '<path class="good" d="M1 14h7v7h-7z"/>'
    '<path class="line good" d="m2 8 2 2 3.5-5"/>',
    "fork": '<path class="fork" d="M1 14h7v7h-7z"/>'
    '<path class="line fork" d="M1.5 4v1.5q0 3 3 3t3-3V4M4.5 8v3"/>',
    "aside": '<path class="line aside" d="M1.5 14.5h6v6h-6z"/>',
    "aside-flag": '<path class="line aside" d="M1.5 14.5h6v6h-6z"/>'
    '<path class="line flag" d="M4.5 5l3 5.5h-6z"/>',
    "rollback": '<path class="rollback" d="M4.5 12.5l5 5-5 5-5-5z"/>',
    "hold": '<path class="hold" d="M1 11h2.5v10h-2.5zM5.5 11h2.5v10h-2.5z"/>',
}
HEAD = '<path class="head" d="M1 10h7v11h-7z"/>'
STRIP = '<svg class="ticks" role="img" aria-label="{}" viewBox="{} 0 {} 24">{}{}</svg>'
OLDER = mark_safe('<text x="-10" y="20">…</text>')


@register.filter
def visible(value: object) -> str:
    """Show what would hide, reorder or break a line."""
    return text.visible(str(value))


@register.filter
def visible_lines(value: object) -> str:
    """As `visible`, but line breaks stay."""
    return version_text.visible_lines(str(value))


@register.filter
def listed(values: Iterable[object]) -> str:
    """Join texts; unlike Django's `join`, without escaping what is escaped later."""
    return ", ".join(map(str, values))


@register.filter
def shorten(value: object, longest: int) -> str:
    """Cut a text, no character of it in two, and show what would hide in it."""
    return text.shorten(str(value), longest)


@register.simple_tag
def named(name: str, longest: int) -> str:
    """Show a name, a long one without its middle; whole for who does not see it."""
    whole, short = text.visible(name), text.shorten_middle(name, longest)
    if short == whole:
        return whole
    return format_html(
        '<span aria-hidden="true" title="{}">{}</span><span class="unseen">{}</span>',
        *(whole, short, whole),
    )


@register.filter
def slashed(pointer: object) -> SafeString:
    """Let a pointer wrap where a part of it begins, and nowhere else first."""
    parts = PARTS.findall(str(pointer))
    return format_html_join(mark_safe("<wbr>"), "{}", ((part,) for part in parts))


@register.filter
def shorten_lines(value: object, longest: int) -> str:
    """As `shorten`, but line breaks stay."""
    whole = str(value)
    shown = version_text.visible_lines(text.cut(whole, longest))
    return shown if len(whole) <= longest else f"{shown}…"


@register.filter
def isolated(value: object) -> str:
    """Keep a text from reordering its neighbours where there is no element around."""
    return text.isolated(str(value))


@register.filter
def size(n_bytes: int) -> str:
    return version_text.size(n_bytes)


@register.filter
def thousands(number: int) -> str:
    """Write a count so that its size is seen."""
    return f"{number:,}"


@register.filter
def score(value: float) -> str:
    """Write a score in few digits; a whole number as one."""
    return f"{value:.6g}"


@register.filter
def percent(rate: float | None) -> str:
    """Write a rate, or that there is none."""
    return "none" if rate is None else charts.percent(rate)


@register.filter
def told_value(rule: Rule) -> str:
    """Write what an alert rule saw, with the unit of its metric."""
    of = measures.written_sample(rule.metric, rule.sample)
    value = measures.written(rule.metric, rule.value)
    return f"{value} of {of} in {rule.window}" if of else value


@register.filter
def duration(seconds: float | None) -> str:
    return "none" if seconds is None else charts.duration(seconds)


@register.filter
def decimal(number: float | None) -> str:
    return "none" if number is None else f"{number:,.1f}"


@register.simple_tag
def moment(at: datetime) -> SafeString:
    """Write a time relative to now, with the exact one on hover and for machines."""
    words = relative(at, timezone.now())
    # A day is another one elsewhere, so it is marked to be written anew.
    kind = "day" if "-" in words else "age"
    return format_html(
        '<time class="{}" datetime="{}" title="{}">{}</time>',
        kind,
        at.isoformat(),
        exact(at),
        words,
    )


@register.simple_tag
def exact_moment(at: datetime) -> SafeString:
    """Write a time exactly; in the reader's own zone where they chose that."""
    return _exact_time(at, exact(at))


@register.simple_tag
def minute_moment(at: datetime) -> SafeString:
    """Write a time to the minute, where that is what it means; as `exact_moment`."""
    utc = at.astimezone(UTC)
    return _exact_time(at, f"{utc:%a} {utc.day} {utc:%b %Y, %H:%M} UTC")


def _exact_time(at: datetime, words: str) -> SafeString:
    return format_html(
        '<time class="exact" datetime="{}">{}</time>', at.isoformat(), words
    )


register.simple_tag(stylesheet_address, name="stylesheet")


@register.simple_tag
@cache
def icon(name: str) -> SafeString:
    """Draw an icon of the sprite; names are of templates, so there are few."""
    return format_html(ICON, static("img/icons.svg"), name)


@register.simple_tag(takes_context=True)
def sidebar(context: Context) -> list[sidebars.Group]:
    """Return the sidebar's groups for the page that is shown."""
    at = context["request"].resolver_match
    return sidebars.groups(
        context["membership"], at.url_name if at else "", now=timezone.now()
    )


@register.simple_tag(takes_context=True)
def first_ways(context: Context, secret: str = "") -> Sequence[Snippet]:
    """Return what to paste for a first session, with the address of this server."""
    root = context["request"].build_absolute_uri("/")
    return first_session.ways(root, secret or None)


@register.filter
def below(groups: Sequence[sidebars.Group]) -> list[sidebars.Item]:
    """Return what the bar below a narrow page shows of the sidebar."""
    return sidebars.below(groups)


@register.simple_tag
def day(at: datetime) -> SafeString:
    """Write the date of a time."""
    return format_html(
        '<time class="day" datetime="{}" title="{}">{}</time>',
        at.isoformat(),
        exact(at),
        f"{at:%Y-%m-%d}",
    )


@register.simple_tag
def clock(at: datetime) -> SafeString:
    """Write the time of day, with the exact moment on hover and for machines."""
    return format_html(
        '<time class="clock" datetime="{}" title="{}">{}</time>',
        at.isoformat(),
        exact(at),
        f"{at:%H:%M:%S}",
    )


@register.simple_tag
def dated_clock(at: datetime) -> SafeString:
    """Write the time of day, of what is older than a day with its date before it."""
    if timezone.now() - at < timedelta(days=1):
        return clock(at)
    return format_html("{} {}", day(at), clock(at))


@register.simple_tag
def worker_state() -> str:
    """Say whether a worker runs, as it was some seconds ago at most."""
    return health.state()


@register.simple_tag
def retention_state() -> str:
    """Say whether the process that removes runs, as it was some seconds ago."""
    return retention.state()


@register.simple_tag
@cache
def version() -> str:
    return metadata.version(DISTRIBUTION)


@register.filter
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


@register.simple_tag
def ticks(strip: session_rows.Strip) -> SafeString:
    """Draw the strip of a row: 10 for each version, and what came before as "…"."""
    drawn = format_html_join(
        "",
        '<g transform="translate({})">{}</g>',
        (
            (10 * at, mark_safe(_tick(tick)))  # noqa: S308 - shapes of ours alone
            for at, tick in enumerate(strip.ticks)
        ),
    )
    left = -12 if strip.has_older else 0
    width = 10 * len(strip.ticks) - left
    older = OLDER if strip.has_older else ""
    return format_html(STRIP, strip.words, left, width, older, drawn)


def _tick(tick: session_rows.Tick) -> str:
    return HEAD if tick.is_head and tick.kind == "update" else TICKS[tick.kind]


@register.simple_tag
def bars(strip: Strip, base: str) -> SafeString:
    """Draw a strip's bars, as links to versions of the session at `base`.

    As a loop of the template they were half of the nodes of a session's page (160 bars,
    then, 2,500 of 5,000): a page takes 87 ms of a processor, and took 101.
    """
    return format_html_join(
        "",
        BAR,
        (
            {
                "base": base,
                "whole": strip.height,
                "number": bar.number,
                "words": bar.words,
                "x": bar.x,
                "y": bar.y,
                "width": bar.width,
                "height": bar.height,
                "selected": " is-selected" if bar.is_selected else "",
                "mark": format_html(MARK, bar.mark, bar.middle, MARKS[bar.mark])
                if bar.mark
                else "",
            }
            for bar in strip.bars
        ),
    )
