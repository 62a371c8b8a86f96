"""View tabs of the list of sessions: how many look wrong, wait, or meet a saved search.

The page has them at once, without counts; these follow by themselves, since each is a
search of its own. A count is exact to a thousand; where more was to be looked through
than a page looks through, it says that there are at least so many.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import urlencode

from django.urls import reverse

from apps.accounts.models import Project, SavedView
from apps.agents.scope import Scope
from apps.console import queries
from apps.console.pages.project.narrowing import COUNTED
from apps.console.pages.project.session_search import is_plain
from apps.core.errors import InvalidRequest
from apps.timeline.search import count_sessions, parse_query

# What every project is asked about, in the language of searches.
ASKED = (
    ("All", ""),
    ("Looks wrong", "status:looks-wrong"),
    ("Waiting", "status:waiting"),
    ("Rolled back", "status:rolled-back"),
)
# So many saved views stand beside these; the menu has all of them.
MOST_SAVED = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Tab:
    """One search with a name; `count` in words, None where it was not counted."""

    name: str
    text: str
    url: str
    is_current: bool
    count: str | None = None


def view_tabs(
    project: Project, views: Sequence[SavedView], *, text: str, view: SavedView | None
) -> list[Tab]:
    """Return the tabs of a page that lists `text`, or what `view` says."""
    here = reverse("console:sessions", args=[project.slug])
    asked = [
        Tab(
            name=name,
            text=one,
            url=f"{here}?{urlencode({'q': one})}",
            is_current=view is None and one == text,
        )
        for name, one in ASKED
    ]
    saved = [
        Tab(
            name=one.name,
            text=one.query,
            url=f"{here}?{urlencode({'view': one.id})}",
            is_current=view is not None and one.id == view.id,
        )
        for one in views[:MOST_SAVED]
    ]
    return asked + saved


def counted(project: Project, tabs: Iterable[Tab], *, now: datetime) -> list[Tab]:
    """Return the tabs with how many sessions each of them lists."""
    return [replace(one, count=_count(project, one.text, now)) for one in tabs]


def _count(project: Project, text: str, now: datetime) -> str | None:
    """Count what a search lists; None if it cannot be answered (any more)."""
    try:
        query = parse_query(text, now=now)
        if is_plain(query):
            ids = queries.newest_ids(project, query.clauses, limit=COUNTED + 1, now=now)
            return _said(min(len(ids), COUNTED), is_all=len(ids) <= COUNTED)
        found = count_sessions(Scope(project), query, now=now, most=COUNTED)
    except InvalidRequest:
        return None
    return _said(len(found.sessions), is_all=found.is_all)


def _said(count: int, *, is_all: bool) -> str:
    return f"{count:,}" if is_all else f"{count:,}+"
