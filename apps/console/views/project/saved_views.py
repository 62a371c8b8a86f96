"""Saved views: kept, shared, opened with, deleted from the page of sessions."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.access import Permission
from apps.accounts.models import Membership
from apps.accounts.views.acting import acting
from apps.console.forms.project import ViewForm
from apps.console.pages.view_tabs import counted, view_tabs
from apps.console.views.project.sessions.asking import asked, understood, views_of
from apps.console.views.project.sessions.listing import sessions_shown
from apps.console.views.requests.decorators import (
    act,
    entered,
    page,
    varying,
    wants_fragment,
)
from apps.core.errors import InvalidRequest
from apps.timeline.search import parse_query


@page
def session_views(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how many sessions the list and each of its views have."""
    membership = entered(request, slug)
    text, _, view = asked(membership, understood(request))
    project, now = membership.project, timezone.now()
    tabs = view_tabs(project, views_of(membership), text=text, view=view)
    context = {"membership": membership, "tabs": counted(project, tabs, now=now)}
    is_part = wants_fragment(request)
    name = "components/_view_tabs.html" if is_part else "console/session_views.html"
    return varying(render(request, name, context))


@act(Permission.READ, shows=sessions_shown)
def save_view(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Keep a search that can be read; one of the same name is replaced."""
    form = ViewForm(request.POST)
    if not form.is_valid():
        raise InvalidRequest("A view needs a name of at most 120 characters.")
    data = form.cleaned_data
    parse_query(data["q"], now=timezone.now())
    view = accounts.save_view(
        membership=membership,
        name=data["name"],
        query=data["q"],
        sort=data["sort"],
        is_shared=data["is_shared"],
        act=acting(request),
    )
    messages.success(request, f"Saved the view {view.name}.")
    here = reverse("console:sessions", args=[membership.project.slug])
    return HttpResponseRedirect(f"{here}?view={view.id}")


@act(Permission.READ)
def delete_view(
    request: HttpRequest, membership: Membership, view_id: str
) -> HttpResponse:
    """Take a view away."""
    view = accounts.delete_view(
        membership=membership, view_id=view_id, act=acting(request)
    )
    messages.success(request, f"Deleted the view {view.name}.")
    here = reverse("console:sessions", args=[membership.project.slug])
    return HttpResponseRedirect(f"{here}?q=")


@act(Permission.READ)
def open_with(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Choose what the list opens with; without a view, everything."""
    accounts.open_with_view(
        membership=membership,
        view_id=request.POST.get("view") or None,
        actor=acting(request).actor,
    )
    messages.success(request, "The list of sessions opens with that from now on.")
    return redirect("console:sessions", membership.project.slug)
