"""Picking a side of a comparison by the search that finds sessions everywhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.accounts.models import Project
from apps.console import queries
from apps.console.forms.project import SESSION_ID
from apps.console.pages.project import session_search
from apps.console.pages.project.session_rows import SessionRow, session_rows
from apps.core.errors import InvalidRequest
from apps.timeline.search import parse_query

ROWS = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Picked:
    """What a search finds to be picked, or why it is not understood."""

    rows: Sequence[SessionRow] = ()
    notices: Sequence[str] = ()
    after: str | None = None
    error: str = ""


def find(project: Project, text: str, after: str | None, *, now: datetime) -> Picked:
    """Return sessions to pick from: the newest, or those that a search finds."""
    pasted = text.strip()
    if re.fullmatch(SESSION_ID, pasted) and queries.has_session(project, pasted):
        found = [queries.session(project, pasted)]
        return Picked(rows=session_rows(queries.rows(found, now)))
    try:
        page = session_search.sessions(
            project,
            parse_query(text, now=now),
            sort=session_search.NEWEST,
            after=after,
            limit=ROWS,
            now=now,
        )
    except InvalidRequest as refused:
        return Picked(error=refused.message)
    return Picked(rows=session_rows(page.rows), notices=page.notices, after=page.after)
