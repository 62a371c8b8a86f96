"""The whole life of a session as a strip: sizes as bars, and marks above them.

Every bar is a link, so the strip works without JavaScript, and says in words what it
shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from apps.console.pages.session.version_text import size
from apps.timeline.queries import Bucket

WIDTH, HEIGHT = 1000, 44
TOP = 16
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Bar:
    """One bar and its mark; `number` is the version that it leads to.

    All as text: it goes into the page as it is.
    """

    x: str
    width: str
    y: str
    height: str
    middle: str
    number: str
    mark: str
    words: str
    is_selected: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Strip:
    """What is drawn, and what a reader is told instead."""

    bars: list[Bar]
    words: str
    width: int = WIDTH
    height: int = HEIGHT


def strip(buckets: Sequence[Bucket], selected: int) -> Strip:
    largest = max((bucket.size for bucket in buckets), default=0) or 1
    step = WIDTH / max(len(buckets), 1)
    bars = [
        _bar(bucket, index * step, step, largest, selected)
        for index, bucket in enumerate(buckets)
    ]
    return Strip(bars=bars, words=_words(buckets, largest))


def _bar(bucket: Bucket, x: float, step: float, largest: int, selected: int) -> Bar:
    height = max(2.0, (HEIGHT - TOP) * bucket.size / largest)
    width = max(step - 1, step * 0.8)
    number, mark = _mark(bucket)
    return Bar(
        x=f"{x:.1f}",
        width=f"{width:.1f}",
        y=f"{HEIGHT - height:.1f}",
        height=f"{height:.1f}",
        middle=f"{x + width / 2:.1f}",
        number=str(number),
        mark=mark,
        words=_bar_words(bucket),
        is_selected=bucket.low <= selected <= bucket.high,
    )


def _mark(bucket: Bucket) -> tuple[int, str]:
    """Return where the bar leads and its mark: what matters most comes first."""
    if bucket.rollback is not None:
        return bucket.rollback, "rollback"
    if bucket.flagged is not None:
        return bucket.flagged, "flag"
    if bucket.fork is not None:
        return bucket.fork, "fork"
    return bucket.high, ""


def _bar_words(bucket: Bucket) -> str:
    where = f"v{bucket.high}"
    if bucket.low != bucket.high:
        where = f"v{bucket.low} to v{bucket.high}"
    marks = [
        f"rollback at v{bucket.rollback}" if bucket.rollback is not None else "",
        f"flag at v{bucket.flagged}" if bucket.flagged is not None else "",
        f"fork of v{bucket.fork}" if bucket.fork is not None else "",
    ]
    return ", ".join([where, size(bucket.size), *filter(None, marks)])


def _words(buckets: Sequence[Bucket], largest: int) -> str:
    marked = [(bucket.rollback, bucket.flagged, bucket.fork) for bucket in buckets]
    kinds = zip(*marked, strict=True)
    counts = [sum(one is not None for one in kind) for kind in kinds]
    names = ("with rollbacks", "with flags", "with forks")
    told = [f"{n} {name}" for n, name in zip(counts, names, strict=False) if n]
    return f"State size over the session's life, at most {size(largest)}" + (
        f"; places {', '.join(told)}" if told else ""
    )


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
