"""How a session stands: a sign, which is told apart without colour, and words."""

from __future__ import annotations

from functools import cache

from django.utils.safestring import SafeString, mark_safe

from apps.console.pages.drawings.markup import filled

STATUS = (
    '<span class="status status-{status}"><span aria-hidden="true">{sign}</span> '
    '<span class="status-words">{words}</span></span>'
)
SIGNS = {
    "active": "●",
    "paused": "❚❚",
    "waiting": "❚❚",
    "wrong": "▲",
    "failed": "✗",
    "rolled": "◆",
    "forked": mark_safe('<span class="fork-sign"></span>'),
    "closed": "✓",
    "expired": "◌",
}
WORDS = {"paused": "held", "wrong": "looks wrong", "rolled": "rolled back"}


@cache
def status(name: str) -> SafeString:
    """Draw a status, that of `queries.status_of` or of a row; there are few."""
    sign = SIGNS.get(name, "✕")
    return filled(STATUS, status=name, sign=sign, words=WORDS.get(name, name))
