"""The page of components: each once, to be photographed; in debug only."""

from __future__ import annotations

import itertools

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from apps.console.pages.drawings.life_line import LIVE_Y, LifeLine, Link, Node
from apps.console.pages.project import session_rows
from apps.console.pages.session import change_table, json_tree
from apps.console.views.requests.decorators import page
from apps.timeline.words import Status

BEFORE = {
    "destination": "NYC",
    "dates": {"depart": "2026-12-26", "return": "2027-01-02"},
    "hotel": {"id": "htl_204", "name": "The Bowery", "nights": 7},
    "price": {"amount": 3012, "currency": "EUR"},
    "user_request": "book flight and hotel",
}
AFTER = {
    "destination": None,
    "dates": {"depart": "2026-12-26", "return": None},
    "price": {"amount": 0, "currency": "EUR"},
    "user_request": "cancel everything",
    "retries": 2,
}
ICONS = (
    "home",
    "sessions",
    "compare",
    "rollbacks",
    "metrics",
    "alerts",
    "agents",
    "audit",
    "keys",
    "webhooks",
    "members",
    "search",
    "menu",
    "left",
    "right",
    "down",
    "copy",
    "clock",
    "fork",
    "undo",
    "hold",
    "tag",
    "more",
    "check",
    "user",
    "theme",
    "plus",
    "close",
    "lineage",
    "warning",
    "note",
)
MARKS = ("update", "good", "flag", "rollback", "fork", "head")


@page
def components(request: HttpRequest) -> HttpResponse:
    """Show every component once."""
    if not settings.DEBUG:
        raise Http404("The page of components is there in debug only.")
    context = {
        "changes": change_table.compared(BEFORE, AFTER, n_bytes=0),
        "tree": json_tree.tree(BEFORE),
        "life": _life(),
        "statuses": [*Status.values, "expired", *session_rows.STANDINGS],
        "icons": ICONS,
        "now": timezone.now(),
    }
    return render(request, "console/components.html", context)


def _life() -> LifeLine:
    """Return a line with each of the marks."""
    step = 100 / len(MARKS)
    places = [f"{step * (index + 0.5):.2f}%" for index in range(len(MARKS))]
    nodes = [
        Node(
            number=number,
            x=place,
            y=LIVE_Y,
            mark=mark,
            words=mark,
            sentence=f"v{number}, {mark}",
            at=timezone.now(),
            is_aside=False,
            is_selected=mark == "flag",
            n_forks=int(mark == "good"),
        )
        for number, (mark, place) in enumerate(zip(MARKS, places, strict=True))
    ]
    links = [
        Link(
            x1=before,
            y1=LIVE_Y,
            x2=after,
            y2=LIVE_Y,
            middle=after,
            kind="live",
            folded=0,
        )
        for before, after in itertools.pairwise(places)
    ]
    return LifeLine(nodes=nodes, links=links)
