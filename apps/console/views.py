"""The console's first pages: projects, sessions, one session, one version.

Each view is read top to bottom: who may look, what is asked for, one read, one page.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from apps.accounts.access import Permission, enter_project, projects_of
from apps.accounts.models import Membership, User
from apps.console import reading, stories
from apps.console.forms import SessionsForm, VersionsForm
from apps.core.errors import DomainError, InvalidRequest
from apps.core.http.exceptions import problem_of
from apps.core.http.fallbacks import answer
from apps.timeline import reading as timeline
from apps.timeline.bodies import CorruptBody
from apps.timeline.lineage import live_ranges, set_aside_by
from apps.timeline.models import Session
from apps.timeline.reading import VersionRow

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]

SANDBOX = "default-src 'none'; sandbox"


def page(view: View[P]) -> View[P]:
    """Let a view only be read, and answer its domain errors as pages."""

    @wraps(view)
    def answered(
        request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except DomainError as error:
            return answer(request, problem_of(error))

    return cast(View[P], require_safe(answered))


@page
def home(request: HttpRequest) -> HttpResponse:
    """Send people to their only project, else let them choose one."""
    memberships = projects_of(_user(request))
    if len(memberships) == 1:
        return redirect("console:sessions", memberships[0].project.slug)
    return render(request, "console/projects.html", {"memberships": memberships})


@page
def project(request: HttpRequest, slug: str) -> HttpResponse:
    """Send to the project's sessions, its first page."""
    return redirect("console:sessions", _entered(request, slug).project.slug)


@page
def sessions(request: HttpRequest, slug: str) -> HttpResponse:
    """List the sessions of a project, newest first."""
    membership = _entered(request, slug)
    form = SessionsForm(request.GET)
    context: dict[str, Any] = {"membership": membership, "form": form}
    if not form.is_valid():
        return render(request, "console/sessions.html", context, status=400)
    now = timezone.now()
    after_id = form.cleaned_data["after"]
    found = reading.sessions(
        membership.project, form.wanted(), after_id=after_id or None, now=now
    )
    shown = found[: reading.PAGE]
    context |= {
        "rows": [(session, reading.status_of(session, now)) for session in shown],
        "is_filtered": bool(form.wanted()),
        "is_first": not after_id,
        "newest": _query(request, after=None),
        "older": _query(request, after=shown[-1].id)
        if len(found) > reading.PAGE
        else None,
        "agent_names": reading.agent_names(membership.project),
        "api_url": request.build_absolute_uri("/v1/sessions"),
    }
    return render(request, "console/sessions.html", context)


@page
def session_detail(request: HttpRequest, slug: str, session_id: str) -> HttpResponse:
    """Show a session's facts and its versions, newest first."""
    membership = _entered(request, slug)
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
        "older": _query(request, after=entries[-1].version.number)
        if len(found) > reading.PAGE
        else None,
    }
    return render(request, "console/session_detail.html", context)


@page
def version_detail(
    request: HttpRequest, slug: str, session_id: str, number: int
) -> HttpResponse:
    """Show one version: what changed against the one before it, and its state."""
    membership = _entered(request, slug)
    session = reading.session(membership.project, session_id)
    version, previous = reading.version(session, number)
    live = live_ranges(session.id, session.head_number)
    context: dict[str, Any] = {
        "membership": membership,
        "session": session,
        "status": reading.status_of(session, timezone.now()),
        "version": version,
        "previous": previous,
        "next_number": number + 1 if number < session.head_number else None,
        "operation": stories.operation(version),
        "flags": stories.flag_words(version, previous),
        "labels": reading.labels(session, [number]).get(number, []),
        "set_aside_by": set_aside_by(live, number),
        **_state(version),
    }
    context["changes"] = _changes(version, previous)
    return render(request, "console/version_detail.html", context)


@page
def version_state(
    request: HttpRequest, slug: str, session_id: str, number: int
) -> HttpResponse:
    """Hand out a version's state as a file; no browser may run or guess it."""
    membership = _entered(request, slug)
    session = reading.session(membership.project, session_id)
    version, _ = reading.version(session, number)
    name = f"{session.id}-v{number}.json"
    return HttpResponse(
        timeline.state(version),
        content_type="application/json",
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "Content-Security-Policy": SANDBOX,
            "X-Content-Type-Options": "nosniff",
        },
    )


def _entered(request: HttpRequest, slug: str) -> Membership:
    return enter_project(user=_user(request), slug=slug, permission=Permission.READ)


def _user(request: HttpRequest) -> User:
    return cast(User, request.user)


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


def _changes(version: VersionRow, previous: VersionRow | None) -> stories.Changes:
    """Compare with the version before; if that costs too much, tell what was kept."""
    if previous is None or version.size + previous.size > stories.COMPARED_BYTES:
        return stories.kept_changes(version, shown=stories.LINES_ON_PAGE)
    try:
        return stories.compared(timeline.state(previous), timeline.state(version))
    except CorruptBody:
        return stories.kept_changes(version, shown=stories.LINES_ON_PAGE)


def _state(version: VersionRow) -> dict[str, Any]:
    try:
        text, is_cut = stories.pretty(timeline.state(version))
    except CorruptBody:
        return {"is_corrupt": True}
    return {"state": text, "is_cut": is_cut, "is_long": text.count("\n") > 60}


def _query(request: HttpRequest, *, after: str | int | None) -> str:
    """Return this page's query string with another place in the list."""
    query = request.GET.copy()
    query.pop("after", None)
    if after is not None:
        query["after"] = str(after)
    return "?" + query.urlencode()
