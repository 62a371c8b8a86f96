"""From one session of a list to the next: "3 of 37", in the order of the list.

Within the first thousand. What a search finds it shows ranked, a page at a time, so a
page is ranked as the list does it; of the other pages only the next in line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.urls import reverse

from apps.accounts.models import Project
from apps.agents.scope import Scope
from apps.console import queries
from apps.console.pages.project import session_search
from apps.timeline.search import (
    Query,
    count_sessions,
    parse_query,
    place_of,
    search_sessions,
)

MOST = 1_000
NEWEST = "newest"
# The orders of a list, by what they are called in an address: there is always one.
ORDERS = {order or NEWEST: order for order in session_search.SORTS}
# A longer search is not repeated in every link of a page.
LONGEST_KEPT = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Walk:
    """Where a session stands in a list; `place` is None where it is not among them.

    `before` and `behind` are addresses, None at an end.
    """

    back: str
    place: int | None = None
    total: str = ""
    before: str | None = None
    behind: str | None = None


def written(text: str, sort: str) -> str:
    """Return the part of an address that names the list a session was opened from."""
    return urlencode({"list": text, "order": sort or NEWEST})


def walk(
    project: Project, session_id: str, *, text: str, order: str, now: datetime
) -> Walk:
    """Return where the session stands in the list, and its neighbours.

    Raises: InvalidRequest for a search that is not understood.
    """
    sort = ORDERS[order]
    query = parse_query(text, now=now)
    listed = _List(project, query, sort, now)
    asked = {"q": text} | ({"sort": sort} if sort else {})
    back = f"{reverse('console:sessions', args=[project.slug])}?{urlencode(asked)}"
    at = listed.place(session_id)
    if at is None:
        return Walk(back=back)
    return Walk(
        back=back,
        place=at + 1,
        total=f"{len(listed.ids):,}{'' if listed.is_all else '+'}",
        before=_address(project, listed.at(at - 1), text, sort),
        behind=_address(project, listed.at(at + 1), text, sort),
    )


class _List:
    """The first sessions of a list, ranked where somebody looks."""

    def __init__(
        self, project: Project, query: Query, sort: str, now: datetime
    ) -> None:
        self.project, self.query, self.now = project, query, now
        self.is_ranked = not session_search.is_plain(query)
        self.ids, self.is_all = self._read(sort)
        self._pages: dict[int, Sequence[str]] = {}

    def place(self, session_id: str) -> int | None:
        if session_id not in self.ids:
            return None
        page = self.ids.index(session_id) // queries.PAGE
        return page * queries.PAGE + self._page(page).index(session_id)

    def at(self, place: int) -> str | None:
        if not 0 <= place < len(self.ids):
            return None
        page, inside = divmod(place, queries.PAGE)
        return self._page(page)[inside]

    def _read(self, sort: str) -> tuple[list[str], bool]:
        if self.is_ranked:
            found = count_sessions(
                Scope(self.project), self.query, now=self.now, most=MOST
            )
            return [one.id for one in found.sessions], found.is_all
        if sort == session_search.CHANGED:
            page = session_search.sessions(
                self.project,
                self.query,
                sort=sort,
                after=None,
                limit=MOST,
                now=self.now,
            )
            return [row.session.id for row in page.rows], page.after is None
        ids = queries.listed_ids(
            self.project,
            self.query.clauses,
            oldest_first=sort == session_search.OLDEST,
            limit=MOST + 1,
            now=self.now,
        )
        return ids[:MOST], len(ids) <= MOST

    def _page(self, number: int) -> Sequence[str]:
        start = number * queries.PAGE
        ids = self.ids[start : start + queries.PAGE]
        if not self.is_ranked or len(ids) == 1:
            return ids
        if number not in self._pages:
            found = search_sessions(
                Scope(self.project),
                self.query,
                now=self.now,
                after=place_of(self.ids[start - 1]) if start else None,
                limit=queries.PAGE,
                by_deed=True,
            )
            ranked = [one.session.id for one in found.results]
            # A page may end early for all that it had to look at.
            self._pages[number] = ranked if set(ranked) == set(ids) else ids
        return self._pages[number]


def _address(
    project: Project, session_id: str | None, text: str, sort: str
) -> str | None:
    if session_id is None:
        return None
    there = reverse("console:session_detail", args=[project.slug, session_id])
    return f"{there}?{written(text, sort)}"
