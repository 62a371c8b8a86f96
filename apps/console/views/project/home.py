"""Where people come in: their projects, and a project's first page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from apps.accounts.access import projects_of
from apps.accounts.views.visits import entry_of
from apps.console import queries
from apps.console.pages.project import attention
from apps.console.pages.project.session_rows import session_rows
from apps.console.views.requests.decorators import entered, page, user_of
from apps.timeline.queries import ACTS_LOOKED_AT, busiest_agents


@page
def home(request: HttpRequest) -> HttpResponse:
    """Send people to their only project, else let them choose one."""
    memberships = projects_of(user_of(request), entry_of(request))
    if len(memberships) == 1:
        return redirect("console:project", memberships[0].project.slug)
    return render(request, "console/projects.html", {"memberships": memberships})


@page
def entrance(request: HttpRequest) -> HttpResponse:
    """Lead who left the slash out to where it stands."""
    return redirect("console:home")


@page
def project(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what needs attention now; in an empty project, how to begin."""
    membership = entered(request, slug)
    now = timezone.now()
    about = membership.project
    newest = queries.sessions(about, queries.SessionFilter(), after_id=None, now=now)
    context = {
        "membership": membership,
        "rows": session_rows(queries.rows(newest[: attention.SHOWN], now)),
        "api_url": request.build_absolute_uri("/v1/sessions"),
    }
    if newest:
        context |= {
            "firing": attention.firing(about),
            "attention": attention.of_project(about, now=now),
            "agents": busiest_agents(about.id, limit=attention.SHOWN),
            "looked_at": ACTS_LOOKED_AT,
        }
    return render(request, "console/project.html", context)
