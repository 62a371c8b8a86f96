"""The sessions of a project."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from apps.console import reading
from apps.console.forms import SessionsForm
from apps.console.views.entering import entered, page
from apps.console.views.paging import query


@page
def sessions(request: HttpRequest, slug: str) -> HttpResponse:
    """List the sessions of a project, newest first."""
    membership = entered(request, slug)
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
        "newest": query(request, after=None),
        "older": query(request, after=shown[-1].id)
        if len(found) > reading.PAGE
        else None,
        "agent_names": reading.agent_names(membership.project),
        "api_url": request.build_absolute_uri("/v1/sessions"),
    }
    return render(request, "console/sessions.html", context)
