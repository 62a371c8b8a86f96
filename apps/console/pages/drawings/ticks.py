"""The newest versions of a session as a small strip, for a row of a list."""

from __future__ import annotations

from django.utils.safestring import SafeString, mark_safe

from apps.console.pages.drawings.markup import filled, joined
from apps.console.pages.project.session_rows import Strip, Tick

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
STRIP = (
    '<svg class="ticks" role="img" aria-label="{words}" viewBox="{left} 0 {width} 24">'
    "{older}{ticks}</svg>"
)
OLDER = mark_safe('<text x="-10" y="20">…</text>')
NOTHING = SafeString("")


def ticks(strip: Strip) -> SafeString:
    """Draw the strip of a row: 10 for each version, and what came before as "…"."""
    left = -12 if strip.has_older else 0
    return filled(
        STRIP,
        words=strip.words,
        left=str(left),
        width=str(10 * len(strip.ticks) - left),
        older=OLDER if strip.has_older else NOTHING,
        ticks=joined([_placed(at, tick) for at, tick in enumerate(strip.ticks)]),
    )


def _placed(at: int, tick: Tick) -> SafeString:
    """Draw one version at its place: shapes of ours alone."""
    is_head = tick.is_head and tick.kind == "update"
    shape = HEAD if is_head else TICKS[tick.kind]
    return SafeString(f'<g transform="translate({10 * at})">{shape}</g>')
