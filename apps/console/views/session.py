"""One session: its facts and its timeline."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from apps.console import reading, stories
from apps.console.forms import VersionsForm
from apps.console.views.entering import entered, page
from apps.console.views.paging import query
from apps.core.errors import InvalidRequest
from apps.timeline.lineage import live_ranges
from apps.timeline.models import Session
from apps.timeline.reading import VersionRow


@page
def session_detail(request: HttpRequest, slug: str, session_id: str) -> HttpResponse:
    """Show a session's facts and its versions, newest first."""
    membership = entered(request, slug)
    session = reading.session(membership.project, session_id)
    after = _place(request)
    found = reading.versions(session, after=after)
    entries = _entries(session, found)
    forks = reading.forks(session)
    context = {
        "membership": membership,
        "session": session,
        "status": reading.status_of(session, timezone.now()),
        "metadata": stories.pretty(bytes(session.metadata)),
        "forks": forks[: reading.SHOWN_FORKS],
        "has_more_forks": len(forks) > reading.SHOWN_FORKS,
        "entries": entries,
        "is_first": after is None,
        "older": query(request, after=entries[-1].version.number)
        if len(found) > reading.PAGE
        else None,
    }
    return render(request, "console/session_detail.html", context)


def _entries(session: Session, found: list[VersionRow]) -> list[stories.Entry]:
    shown = found[: reading.PAGE]
    live = live_ranges(session.id, session.head_number)
    labels = reading.labels(session, [version.number for version in shown])
    return [
        stories.entry(
            version,
            previous,
            live=live,
            labels=labels.get(version.number, []),
            head_number=session.head_number,
        )
        for version, previous in zip(shown, [*found[1:], None], strict=False)
    ]


def _place(request: HttpRequest) -> int | None:
    form = VersionsForm(request.GET)
    if not form.is_valid():
        raise InvalidRequest("after takes the number of a version.", param="after")
    after: int | None = form.cleaned_data["after"]
    return after
