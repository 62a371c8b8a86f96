"""Formatting for the console's templates: hostile text, moments, sizes.

Nothing here marks text as safe except tags that are built by `format_html`, and shapes
that stand here.
"""

import re
from collections.abc import Collection, Hashable, Iterable, Sequence
from datetime import datetime
from functools import cache, lru_cache
from importlib import metadata

from django import template
from django.template import Context
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from apps.console.pages.drawings import session_table, times
from apps.console.pages.drawings.status import status
from apps.console.pages.drawings.ticks import ticks
from apps.console.pages.drawings.times import exact
from apps.console.pages.drawings.version_strip import bars
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

# Of a pointer, each with the slash before it.
PARTS = re.compile(r"/?[^/]+|/")

# Drawn once in the sprite; beside a word, so that a reader need not be told.
ICON = '<svg class="icon" aria-hidden="true"><use href="{}#{}"/></svg>'


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


register.simple_tag(session_table.named)


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
    return times.moment(at, timezone.now())


register.simple_tag(stylesheet_address, name="stylesheet")


@register.simple_tag
@cache
def icon(name: str) -> SafeString:
    """Draw an icon of the sprite; names are of templates, so there are few."""
    return format_html(ICON, static("img/icons.svg"), name)


@register.simple_tag(takes_context=True)
def sidebar(context: Context) -> tuple[sidebars.Group, ...]:
    """Return the sidebar's groups for the page that is shown."""
    at = context["request"].resolver_match
    return sidebars.groups(
        context["membership"], at.url_name if at else "", now=timezone.now()
    )


@register.simple_tag
def drawn_once(fragment: str, **context: Hashable) -> SafeString:
    """Include a fragment that is made of what it is given alone, and keep it.

    All of that has to be a value: texts, numbers, frozen dataclasses, tuples of them. A
    model is none: one row is equal to itself, whatever has changed in it.
    """
    return _drawn(fragment, tuple(context.items()))


@lru_cache(maxsize=256)
def _drawn(fragment: str, context: tuple[tuple[str, Hashable], ...]) -> SafeString:
    return mark_safe(render_to_string(fragment, dict(context)))  # noqa: S308 - escaped there


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


register.filter(exact)
register.simple_tag(bars)
register.simple_tag(ticks)
register.simple_tag(status)
for written in (
    times.exact_moment,
    times.minute_moment,
    times.day,
    times.clock,
    times.dated_clock,
):
    register.simple_tag(written)


@register.simple_tag
def drawn_rows(
    slug: str,
    rows: Sequence[session_rows.SessionRow],
    picked: Collection[str],
    walk: str,
    *,
    is_pickable: bool,
) -> list[session_table.Stretch]:
    """Return the rows of a list of sessions as HTML, in stretches."""
    table = session_table.Table(
        slug=slug,
        now=timezone.now(),
        walk=walk,
        is_pickable=is_pickable,
        picked=picked,
    )
    return table.stretches(rows)
