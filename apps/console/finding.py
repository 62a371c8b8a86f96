"""The sessions page's questions: a search to rows, each with why it was found.

Plain filters (agent, user, status, when it began) are one index read, and show people
what expired or was deleted too: that is evidence. Everything else is the finder's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from django.urls import reverse

from apps.accounts.models import Project
from apps.agents.scope import Scope
from apps.audit.models import Event
from apps.console import reading
from apps.console.reading import Row, Why
from apps.core.errors import InvalidRequest
from apps.diffs.changes import MISSING
from apps.diffs.text import shorten, show
from apps.timeline import activity
from apps.timeline.models import Session
from apps.timeline.search import finder
from apps.timeline.search.clauses import (
    AgentIs,
    CreatedBetween,
    FreeTerm,
    Query,
    StatusIs,
    TraceIs,
    UserIs,
)
from apps.timeline.search.conditions import Candidate, Hit
from apps.timeline.search.explaining import Match
from apps.timeline.search.finder import Place
from apps.timeline.search.writing import without, write

PLAIN = (AgentIs, UserIs, StatusIs, CreatedBetween)
NEWEST, OLDEST, CHANGED = "", "oldest", "changed"
SORTS = {
    NEWEST: "newest first",
    OLDEST: "oldest first",
    CHANGED: "last changed first",
}
# How many acts one page walks back over, step by step, before it says so: few fill a
# page, unless one session has made them all.
WALK = (2_000, 8_000, 32_000, 32_000)
LONGEST_VALUE = 80
LONGEST_CHIP = 200
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
WORDS = {
    "state": "held",
    "head": "holds now",
    "change": "changed",
    "reasoning": "in the reasoning",
    "turn": "in a turn",
    "label": "labelled",
    "flag": "flagged",
    "rollback": "rolled back",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """Rows; `after` is where the next page begins, None at the end."""

    rows: Sequence[Row]
    after: str | None
    notices: Sequence[str] = ()


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
    found = reading.listed(
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
    """Return the address of what a single pasted id names, if it names something."""
    if len(query.clauses) != 1:
        return None
    clause = query.clauses[0]
    if isinstance(clause, FreeTerm) and " " not in clause.term:
        return _of_trace(project, clause.term, now)
    if isinstance(clause, TraceIs):
        return _of_trace(project, clause.trace_id, now)
    session_id = getattr(clause, "session_id", None)
    if session_id and reading.has_session(project, session_id):
        return reverse("console:session_detail", args=[project.slug, session_id])
    return None


def _of_trace(project: Project, trace_id: str, now: datetime) -> str | None:
    event = Event.objects.for_project(project.id).filter(id=trace_id).first()
    if event is not None and event.stream_id.startswith("sess_"):
        return _url(project, event.stream_id, event.number)
    asked = Query((TraceIs(text=trace_id, trace_id=trace_id),))
    found = finder.versions(Scope(project), asked, now=now, after=None, limit=1)
    if not found.results:
        return None
    result = found.results[0]
    return _url(project, result.session.id, result.number)


def _searched(
    project: Project, query: Query, after: str | None, limit: int, now: datetime
) -> Page:
    place = Place(after) if after else None
    found = finder.sessions(Scope(project), query, now=now, after=place, limit=limit)
    known = reading.in_bulk(project, [one.session.id for one in found.results])
    rows = [
        _row(
            known[one.session.id],
            now,
            [
                _why(project, one.session, match)
                for match in one.matches
                # What is true of a session as a whole stands in its row.
                if match.hit.version is not None or match.hit.pointer is not None
            ],
        )
        for one in found.results
    ]
    after = found.next.session_id if found.next else None
    return Page(rows=rows, after=after, notices=found.notices)


def _changed(
    project: Project, query: Query, after: str | None, limit: int, now: datetime
) -> Page:
    """Walk back over the project's acts, so many at once, until a page is full.

    An index on the time of the last change would cost every append more than this
    costs a reader. What is left when the walk stops is one link away, and said.
    """
    before, inside = _read_place(after) if after else (None, None)
    found: list[Session] = []
    for acts in WALK:
        touched = activity.touched(project.id, before=before, acts=acts)
        room = limit - len(found)
        some = reading.last_changed(
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
    return Row(session=session, status=reading.status_of(session, now), why=why)


def _why(project: Project, session: Candidate, match: Match) -> Why:
    hit = match.hit
    number = session.head_number if hit.version is None else hit.version
    url = _url(project, session.id, number)
    return Why(
        clause=match.clause,
        words=_words(hit),
        pointer=hit.pointer,
        version=number,
        url=url,
        value_url=None
        if hit.pointer is None
        else f"{url}/value?{urlencode({'pointer': hit.pointer})}",
    )


def _words(hit: Hit) -> str:
    words = WORDS.get(hit.where, hit.where.replace("_", " "))
    if hit.turn_number is not None:
        words = f"in turn {hit.turn_number}"
    if hit.value is MISSING:
        return words
    return f"{words}: {show(hit.value, LONGEST_VALUE)}"


def _url(project: Project, session_id: str, number: int | None) -> str:
    if number is None:
        return reverse("console:session_detail", args=[project.slug, session_id])
    return reverse("console:version_detail", args=[project.slug, session_id, number])


def chips(query: Query) -> list[tuple[str, str]]:
    """Return each term as it was written, with the search that lacks it."""
    return [
        (shorten(clause.text, LONGEST_CHIP), write(without(query, index)))
        for index, clause in enumerate(query.clauses)
    ]
