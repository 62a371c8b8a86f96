"""The sessions page's questions: a search to rows, each with why it was found.

A term that is the id of a trace or a session leads straight there. Plain filters
(agent, user, status, when it began) are one index read, and show people what expired or
was deleted too: that is evidence. Everything else is the finder's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

from django.urls import reverse

from apps.accounts.models import Project
from apps.agents.scope import Scope
from apps.audit.models import Event
from apps.console import queries
from apps.console.pages.filter_chips import Chip
from apps.console.pages.project import match_reasons
from apps.console.queries import Row, Why
from apps.core.errors import InvalidRequest
from apps.timeline.models import Session
from apps.timeline.queries import sessions_touched
from apps.timeline.search import (
    AgentIs,
    CreatedBetween,
    FreeTerm,
    Query,
    Result,
    ReviewedAs,
    StatusIs,
    TraceIs,
    UserIs,
    place_of,
    search_sessions,
    search_versions,
    without_clause,
    write_clause,
    write_query,
)

PLAIN = (AgentIs, UserIs, StatusIs, CreatedBetween, ReviewedAs)
NEWEST, OLDEST, CHANGED = "", "oldest", "changed"
SORTS = {
    NEWEST: "newest first",
    OLDEST: "oldest first",
    CHANGED: "last changed first",
}
# How many acts one page walks back over, step by step, before it says so: few fill a
# page, unless one session has made them all.
WALK = (2_000, 8_000, 32_000, 32_000)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """Rows; `after` is where the next page begins, None at the end.

    `leads_to` is the address of what was found, if it is a trace and nothing else.
    `misses`: sessions may be missing that could not be looked into, as a notice says.
    """

    rows: Sequence[Row]
    after: str | None
    notices: Sequence[str] = ()
    leads_to: str | None = None
    misses: bool = False


def sessions(
    project: Project,
    query: Query,
    *,
    sort: str,
    after: str | None,
    limit: int,
    now: datetime,
) -> Page:
    """Return a page of the sessions that meet the query."""
    if not is_plain(query):
        return _searched(project, query, after, limit, now)
    if sort == CHANGED:
        return _changed(project, query, after, limit, now)
    found = queries.listed(
        project,
        query.clauses,
        oldest_first=sort == OLDEST,
        after_id=after,
        limit=limit + 1,
        now=now,
    )
    shown = found[:limit]
    return Page(
        rows=[_row(session, now) for session in shown],
        after=shown[-1].id if len(found) > limit else None,
    )


def is_plain(query: Query) -> bool:
    """Say whether the list alone answers it, in any order."""
    return all(isinstance(clause, PLAIN) for clause in query.clauses)


def whereabouts(project: Project, query: Query, *, now: datetime) -> str | None:
    """Return the address of what a single pasted id names, if it can name no other."""
    if len(query.clauses) != 1:
        return None
    clause = query.clauses[0]
    if isinstance(clause, FreeTerm) and clause.term.startswith("trace_"):
        return _of_act(project, clause.term)
    if isinstance(clause, TraceIs):
        return _of_trace(project, clause.trace_id, now)
    session_id = getattr(clause, "session_id", None)
    if session_id and queries.has_session(project, session_id):
        return reverse("console:session_detail", args=[project.slug, session_id])
    return None


def _of_act(project: Project, trace_id: str) -> str | None:
    event = Event.objects.for_project(project.id).filter(id=trace_id).first()
    if event is not None and event.stream_id.startswith("sess_"):
        return match_reasons.url(project, event.stream_id, event.number)
    return None


def _of_trace(project: Project, trace_id: str, now: datetime) -> str | None:
    of_act = _of_act(project, trace_id)
    if of_act is not None:
        return of_act
    asked = Query((TraceIs(text=trace_id, trace_id=trace_id),))
    found = search_versions(Scope(project), asked, now=now, after=None, limit=1)
    if not found.results:
        return None
    result = found.results[0]
    return match_reasons.url(project, result.session.id, result.number)


def _searched(
    project: Project, query: Query, after: str | None, limit: int, now: datetime
) -> Page:
    place = place_of(after) if after else None
    found = search_sessions(
        Scope(project), query, now=now, after=place, limit=limit, by_deed=True
    )
    known = queries.in_bulk(project, [one.session.id for one in found.results])
    rows = [
        _row(
            known[one.session.id],
            now,
            [
                match_reasons.why(project, one.session, match)
                for match in one.matches
                if match_reasons.is_told(match.hit)
            ],
        )
        for one in found.results
    ]
    after = str(found.next) if found.next else None
    leads_to = None
    if place is None and found.next is None:
        leads_to = _only_trace(project, query, found.results)
    return Page(
        rows=rows,
        after=after,
        notices=found.notices,
        leads_to=leads_to,
        misses=found.misses,
    )


def _only_trace(
    project: Project, query: Query, results: Sequence[Result]
) -> str | None:
    """Return where a bare term leads that is a trace id, and found as nothing else."""
    if len(results) != 1 or len(query.clauses) != 1:
        return None
    hits = [match.hit for match in results[0].matches]
    if [hit.where for hit in hits] != ["trace"]:
        return None
    if not isinstance(query.clauses[0], FreeTerm):
        return None
    if hits[0].value != query.clauses[0].term:
        return None
    return match_reasons.url(project, results[0].session.id, hits[0].version)


def _changed(
    project: Project,
    query: Query,
    after: str | None,
    limit: int,
    now: datetime,
) -> Page:
    """Walk back over the project's acts, so many at once, until a page is full.

    An index on the time of the last change would cost every append more than this
    costs a reader. What is left when the walk stops is one link away, and said.
    """
    before, inside = _read_place(after) if after else (None, None)
    found: list[Session] = []
    for acts in WALK:
        touched = sessions_touched(project.id, before=before, acts=acts)
        room = limit - len(found)
        some = queries.last_changed(
            project,
            query.clauses,
            among=touched.sessions,
            before=inside,
            limit=room + 1,
            now=now,
        )
        found += some[:room]
        if len(some) > room:
            return Page(rows=_rows(found, now), after=_place(before, found[-1]))
        before, inside = touched.floor, None
        if before is None:
            return Page(rows=_rows(found, now), after=None)
    return Page(
        rows=_rows(found, now),
        after=before,
        notices=[
            f"Looked at {sum(WALK):,} acts of the project on this page: sessions that "
            "changed before them follow on the next ones."
        ],
    )


def _rows(found: Sequence[Session], now: datetime) -> list[Row]:
    return [_row(session, now) for session in found]


def _place(before: str | None, session: Session) -> str:
    """Write where a session stands: among which acts, when changed, which."""
    age = (session.updated_at - EPOCH) // timedelta(microseconds=1)
    return f"{before or ''}.{age:020}-{session.id}"


def _read_place(place: str) -> tuple[str | None, tuple[datetime, str] | None]:
    """Return before which act to go on, and after which session of those.

    Raises: InvalidRequest for a place in another order, or beyond all time.
    """
    before, is_inside, rest = place.partition(".")
    if not is_inside and before.startswith("trace_"):
        return before, None
    digits, _, session_id = rest.partition("-")
    try:
        age = timedelta(microseconds=int(digits))
        return before or None, (EPOCH + age, session_id)
    except (ValueError, OverflowError):
        raise InvalidRequest(
            "This is a place in another order.", param="after"
        ) from None


def _row(session: Session, now: datetime, why: Sequence[Why] = ()) -> Row:
    return Row(session=session, status=queries.status_of(session, now), why=why)


def of_the_gone(query: Query) -> list[str]:
    """Return the searches that find a bare id of expired and deleted sessions, too."""
    if len(query.clauses) != 1 or not isinstance(query.clauses[0], FreeTerm):
        return []
    term = query.clauses[0].term
    return [
        write_clause(UserIs(text="", user_id=term)),
        write_clause(AgentIs(text="", name=term)),
    ]


def chips(query: Query, sort: str) -> list[Chip]:
    """Return each term as it was written, with the search that lacks it."""
    order = f"&sort={sort}" if sort else ""
    return [
        Chip(
            value=clause.text,
            without=f"?q={quote(write_query(without_clause(query, index)), '')}{order}",
        )
        for index, clause in enumerate(query.clauses)
    ]
