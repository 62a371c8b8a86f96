"""Where people come in: their projects, and a project's first page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from apps.accounts.access import projects_of
from apps.console.views.entering import entered, page, user_of


@page
def home(request: HttpRequest) -> HttpResponse:
    """Send people to their only project, else let them choose one."""
    memberships = projects_of(user_of(request))
    if len(memberships) == 1:
        return redirect("console:sessions", memberships[0].project.slug)
    return render(request, "console/projects.html", {"memberships": memberships})


@page
def project(request: HttpRequest, slug: str) -> HttpResponse:
    """Send to the project's sessions, its first page."""
    return redirect("console:sessions", entered(request, slug).project.slug)
