"""The sessions that a search finds, as a file."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from apps.console import queries
from apps.console.pages.project import session_rows, session_search
from apps.console.views.project.sessions.asking import asked, understood
from apps.console.views.requests.decorators import entered, page
from apps.console.views.requests.exports import csv_file
from apps.timeline.queries import Subject
from apps.timeline.search import parse_query

EXPORTED = 5_000
COLUMNS = (
    "session",
    "title",
    "agent",
    "user",
    "status",
    "head",
    "turns",
    "rollbacks",
    "forked_from",
    "forked_from_version",
    "external_id",
    "started",
    "last_change",
    "why",
)


@page
def sessions_export(request: HttpRequest, slug: str) -> HttpResponse:
    """Hand out the sessions that a search or a saved view finds, as CSV."""
    membership = entered(request, slug)
    form = understood(request)
    text, sort, _ = asked(membership, form)
    now = timezone.now()
    query = parse_query(text, now=now)
    found = session_search.sessions(
        membership.project,
        query,
        sort=sort,
        after=form.cleaned_data["after"] or None,
        limit=EXPORTED,
        now=now,
    )
    name = f"{membership.project.slug}-sessions"
    about = session_rows.subjects_of([row.session for row in found.rows])
    rows = [_exported(row, about[row.session.id]) for row in found.rows]
    left_out = f"more follow with after={found.after}." if found.after else None
    return csv_file(name, COLUMNS, rows, left_out=left_out)


def _exported(row: queries.Row, about: Subject) -> tuple[Any, ...]:
    session = row.session
    why = "; ".join(
        " ".join(filter(None, (one.clause, one.words, one.pointer))) for one in row.why
    )
    return (
        session.id,
        about.title,
        session.agent.external_id,
        about.user,
        row.status,
        session.head_number,
        session.turn_count,
        session.rollback_count,
        session.origin_session_id,
        session.origin_number,
        session.external_id,
        session.created_at.isoformat(),
        session.updated_at.isoformat(),
        why,
    )
