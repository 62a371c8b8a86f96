"""The sessions of a project: searched, listed, narrowed."""

import re
from collections.abc import Collection
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django_htmx.http import HttpResponseClientRedirect

from apps.accounts.access import Permission, may
from apps.accounts.models import Membership, SavedView
from apps.console import queries
from apps.console.forms.plans import RULES
from apps.console.forms.project import SessionsForm
from apps.console.pages.project import narrowing, session_rows, session_search
from apps.console.pages.session import walking
from apps.console.pages.view_tabs import view_tabs
from apps.console.views.project.sessions.asking import (
    asked,
    first_error,
    understood,
    views_of,
    written_query,
)
from apps.console.views.requests.acts import new_key
from apps.console.views.requests.decorators import (
    entered,
    page,
    varying,
    wants_fragment,
)
from apps.core.errors import InvalidRequest
from apps.core.http.problems.exceptions import problem_of
from apps.incidents.models import Incident
from apps.plans.cases import OFFERED
from apps.plans.operations import MOST
from apps.timeline.search import AgentIs, parse_query, write_clause

# What people call an incident by.
NUMBER = re.compile(r"#([1-9][0-9]{0,14})", re.ASCII)


@page
def sessions(request: HttpRequest, slug: str) -> HttpResponse:
    """Search and list the sessions of a project; a pasted id leads to its page."""
    membership = entered(request, slug)
    elsewhere = _elsewhere(request, membership)
    if elsewhere is not None:
        return _gone_to(request, elsewhere)
    return _listed(request, membership)


def sessions_shown(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Return the list that an act came from, when the act was refused."""
    searched = QueryDict(mutable=True)
    searched.update({name: request.POST.get(name, "") for name in ("q", "sort")})
    request.GET = searched  # type: ignore[assignment]
    return _listed(request, membership)


def _listed(request: HttpRequest, membership: Membership) -> HttpResponse:
    form = SessionsForm(request.GET)
    if not form.is_valid():
        return _refused(
            request,
            membership,
            first_error(form),
            text=request.GET.get("q", ""),
        )
    text, sort, view = asked(membership, form)
    now = timezone.now()
    try:
        query = parse_query(text, now=now)
        place = session_search.whereabouts(membership.project, query, now=now)
        if place is not None:
            return _gone_to(request, place)
        after = form.cleaned_data["after"] or None
        found = session_search.sessions(
            membership.project,
            query,
            sort=sort,
            after=after,
            limit=queries.PAGE,
            now=now,
        )
    except InvalidRequest as refused:
        return _refused(request, membership, refused, text=text)
    if found.leads_to is not None:
        return _gone_to(request, found.leads_to)
    here = reverse("console:sessions", args=[membership.project.slug])
    rows = session_rows.session_rows(found.rows)
    is_plain = session_search.is_plain(query)
    rows = rows if is_plain else session_rows.grouped(rows)
    context = _shell(request, membership, text=text, view=view) | {
        "text": text,
        "sort": sort,
        "chips": session_search.chips(query, sort),
        "of_the_gone": session_search.of_the_gone(query),
        "is_plain": is_plain,
        "is_filtered": bool(query.clauses),
        "rows": rows,
        "notices": found.notices,
        "newest": here + written_query(text, sort) if after else None,
        "older": here + written_query(text, sort, after=found.after)
        if found.after
        else None,
        "export": written_query(text, sort),
        "walk": walking.written(text, sort),
        "acts": OFFERED,
        "rules": RULES,
        "most": MOST,
        "key": new_key(),
        **_picks(request, {row.session.id for row in rows}),
    }
    name = (
        "console/_sessions.html" if wants_fragment(request) else "console/sessions.html"
    )
    return varying(render(request, name, context))


@page
def sessions_narrow(request: HttpRequest, slug: str) -> HttpResponse:
    """Show by what a search can be narrowed: what its sessions share, and when."""
    membership = entered(request, slug)
    text, _, _ = asked(membership, understood(request))
    now = timezone.now()
    query = parse_query(text, now=now)
    context = {
        "membership": membership,
        "text": text,
        "narrowing": narrowing.narrowing(membership.project, query, now=now),
    }
    is_part = wants_fragment(request)
    name = "console/_narrow.html" if is_part else "console/narrow.html"
    return varying(render(request, name, context))


def _elsewhere(request: HttpRequest, membership: Membership) -> str | None:
    """Return where an old link, an incident's number or nothing at all leads to."""
    here = reverse("console:sessions", args=[membership.project.slug])
    agent = request.GET.get("agent")
    if agent is not None:
        return here + written_query(write_clause(AgentIs(text="", name=agent)), "")
    if not request.GET and membership.default_view_id:
        return f"{here}?view={membership.default_view_id}"
    numbered = NUMBER.fullmatch(request.GET.get("q", "").strip())
    if numbered is not None:
        mine = Incident.objects.of_project(membership.project_id)
        found = mine.numbered(int(numbered[1])).first()
        if found is not None:
            where = [membership.project.slug, found.id]
            return reverse("console:incident", args=where)
    return None


def _gone_to(request: HttpRequest, url: str) -> HttpResponse:
    """Lead to another page; htmx would swap a redirect's page into this one's part."""
    if wants_fragment(request):
        return HttpResponseClientRedirect(url)
    return HttpResponseRedirect(url)


def _shell(
    request: HttpRequest,
    membership: Membership,
    *,
    text: str,
    view: SavedView | None = None,
) -> dict[str, Any]:
    project, kept = membership.project, views_of(membership)
    shown = {"view": view.id} if view else {"q": text}
    counts = reverse("console:session_views", args=[project.slug])
    return {
        "membership": membership,
        "view": view,
        "views": kept,
        "tabs": view_tabs(project, kept, text=text, view=view),
        "asks": f"{counts}?{urlencode(shown)}",
        "sorts": session_search.SORTS,
        "may_act": may(membership, Permission.WRITE, membership.project),
        "is_admin": may(membership, Permission.ADMIN, membership.project),
    }


def _refused(
    request: HttpRequest,
    membership: Membership,
    error: InvalidRequest,
    *,
    text: str = "",
) -> HttpResponse:
    """Show what is not understood, at its place."""
    at = error.details.get("position", len(text))
    end = len(text) if text[at : at + 1] == '"' else _end_of_term(text, at)
    context = _shell(request, membership, text=text) | {
        "asks": None,
        "text": text,
        "error": error.message,
        "before": text[:at],
        "wrong": text[at:end],
        "rest": text[end:],
        "suggestion": error.details.get("suggestion"),
    }
    is_part = wants_fragment(request)
    name = "console/_sessions.html" if is_part else "console/sessions.html"
    # A fragment is swapped in whatever it says; the page says what it is.
    status = 200 if is_part else problem_of(error).status
    return varying(render(request, name, context, status=status))


def _picks(request: HttpRequest, shown: Collection[str]) -> dict[str, Any]:
    """Return what a refused form had picked, and what of it has no box on the page."""
    picked = request.POST.getlist("session")
    elsewhere = [one for one in dict.fromkeys(picked) if one not in shown]
    return {"picked": picked, "picked_elsewhere": elsewhere}


def _end_of_term(text: str, at: int) -> int:
    return at + len(text[at:].split(maxsplit=1)[0]) if text[at:].strip() else len(text)
