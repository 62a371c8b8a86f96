"""One session: its facts, its timeline, and beside it one of its versions."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Membership
from apps.console import queries
from apps.console.forms.session.acting import NoteForm
from apps.console.forms.session.looking import JumpForm, PaneForm, TimelineForm
from apps.console.pages.filter_chips import applied
from apps.console.pages.project.session_rows import title_of
from apps.console.pages.session import (
    session_page,
    snippets,
    verdict,
    version_pane,
    version_text,
    walking,
)
from apps.console.pages.session.session_page import Place
from apps.console.views.requests.acts import new_key
from apps.console.views.requests.decorators import (
    entered,
    page,
    varying,
    wants_fragment,
)
from apps.core.http.typed import PARAMETER
from apps.timeline.queries import version_at
from apps.timeline.versions import set_aside_by

PANE, TIMELINE = "version-pane", "timeline-pane"
PANE_TABS = [
    ("changes", "Changes"),
    ("state", "State"),
    ("turns", "Turns"),
    ("checkpoint", "Checkpoint"),
    ("proof", "Proof"),
]


@page
def session_detail(request: HttpRequest, slug: str, session_id: str) -> HttpResponse:
    """Show a session: its timeline, and beside it the head."""
    return _shown(request, slug, session_id, None)


@page
def version_detail(
    request: HttpRequest, slug: str, session_id: str, number: int
) -> HttpResponse:
    """Show a session with one of its versions."""
    return _shown(request, slug, session_id, number)


def session_shown(
    request: HttpRequest, membership: Membership, session_id: str
) -> HttpResponse:
    """Return the session's page for an act that was refused."""
    return _shown(request, membership.project.slug, session_id, _noted(request))


def version_shown(
    request: HttpRequest, membership: Membership, session_id: str, number: int
) -> HttpResponse:
    """Return the version's page for an act that was refused."""
    return _shown(request, membership.project.slug, session_id, number)


def session_address(
    request: HttpRequest, membership: Membership, session_id: str
) -> str:
    """Return where an act on the session came from: of a note, its version's page."""
    number = _noted(request)
    if number is not None:
        return version_address(request, membership, session_id, number)
    where = [membership.project.slug, session_id]
    return reverse("console:session_detail", args=where)


def version_address(
    request: HttpRequest, membership: Membership, session_id: str, number: int
) -> str:
    where = [membership.project.slug, session_id, number]
    return reverse("console:version_detail", args=where)


@page
def jump(request: HttpRequest, slug: str, session_id: str) -> HttpResponse:
    """Go to a version by its number, or to what was the head at a time."""
    membership = entered(request, slug)
    session = queries.session(membership.project, session_id)
    form = JumpForm(request.GET if "go" in request.GET else None)
    if not form.is_valid():
        context = {
            "membership": membership,
            "session": session,
            "title": title_of(session),
            "form": form,
        }
        status = 400 if form.is_bound else 200
        return render(request, "console/jump.html", context, status=status)
    wanted = form.cleaned_data["go"]
    if not isinstance(wanted, int):
        wanted = version_at(session.id, session.head_number, wanted)
    number = min(wanted, session.head_number)
    where = reverse("console:version_detail", args=[slug, session.id, number])
    return HttpResponseRedirect(f"{where}#v{number}")


def _shown(
    request: HttpRequest, slug: str, session_id: str, number: int | None
) -> HttpResponse:
    """Answer the page, or the one of its two panes that htmx asks for."""
    membership = entered(request, slug)
    session = queries.session(membership.project, session_id)
    place = Place(
        membership=membership, session=session, number=number, now=timezone.now()
    )
    target = request.headers.get("HX-Target") if wants_fragment(request) else None
    context = session_page.facts(place) | {"key": new_key()}
    form = TimelineForm(request.GET)
    context |= {
        "timeline_form": form,
        "chips": applied(request.GET, form, aside=("list", "order")),
        "view": "timeline" if number is None else "version",
    }
    if target != TIMELINE:
        context |= _pane(request, place)
        is_old = context.get("base") is not None or not context["is_head"]
        context["restores"] = context["may_act"] and is_old
    if target != PANE and form.is_valid():
        context |= session_page.window(place, form.cleaned_data)
    elif target == PANE:
        context["keep"] = _kept(request)
    if target not in (PANE, TIMELINE):
        context |= session_page.around(place)
        context["walk"] = _walk(form, place)
        if session.origin_session_id:
            root = request.build_absolute_uri("/")
            context["fork_snippets"] = snippets.fork_snippets(root, session.id)
    template = {
        PANE: "components/_version_pane.html",
        TIMELINE: "components/_timeline_pane.html",
    }.get(target or "", "console/session_detail.html")
    status = 200 if form.is_valid() or target == PANE else 400
    return varying(render(request, template, context, status=status))


def _pane(request: HttpRequest, place: Place) -> dict[str, Any]:
    session = place.session
    given = PaneForm(request.GET).given()
    version, previous = queries.version(session, place.selected)
    look = version_pane.Look(
        project=place.membership.project,
        session=session,
        version=version,
        previous=previous,
        now=place.now,
    )
    return {
        "version": version,
        "previous": previous,
        "pane_tabs": PANE_TABS,
        "next_number": version.number + 1
        if version.number < session.head_number
        else None,
        "is_head": version.number == session.head_number,
        "operation": version_text.operation(version),
        "flags": version_text.flag_words(version, previous, look.noise),
        "before": verdict.way_back(version, place.live),
        "labels": queries.labels(session, [version.number]).get(version.number, []),
        "set_aside_by": set_aside_by(place.live, version.number),
        "set_aside_from": verdict.set_aside_from(version),
        "snippets": snippets.reading_snippets(
            request.build_absolute_uri("/"), session.id, version.number
        ),
        **version_pane.shown(look, given),
    }


def _walk(form: TimelineForm, place: Place) -> walking.Walk | None:
    """Return where the session stands in the list that it was opened from, if any."""
    asked = form.cleaned_data if form.is_valid() else {}
    if not asked.get("order"):
        return None
    return walking.walk(
        place.membership.project,
        place.session.id,
        text=asked["list"],
        order=asked["order"],
        now=place.now,
    )


def _noted(request: HttpRequest) -> int | None:
    """Return the version that a note was about, if it was about one."""
    form = NoteForm(request.POST)
    form.is_valid()
    return form.cleaned_data.get("number")


def _kept(request: HttpRequest) -> str:
    """Return the part of the address that is the timeline's, to be kept in links."""
    query = request.GET.copy()
    for name in (*PaneForm.base_fields, PARAMETER):
        query.pop(name, None)
    return query.urlencode()
