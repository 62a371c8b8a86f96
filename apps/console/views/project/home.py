"""Where people come in: their projects, and a project's first page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from apps.accounts.access import Permission, may, projects_of
from apps.accounts.models import Membership
from apps.accounts.views.visits import entry_of
from apps.console import queries
from apps.console.pages.project import attention, rates
from apps.console.pages.project.session_rows import session_rows
from apps.console.views.requests.acts import new_key
from apps.console.views.requests.decorators import entered, page, user_of
from apps.console.views.requests.time_zone import readers_zone
from apps.data import browsing
from apps.timeline.queries import ACTS_LOOKED_AT, busiest_agents
from apps.watching.models import Handover

SHOWN_HANDOVERS = 5


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
    return project_shown(request, entered(request, slug))


def project_shown(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Return a project's first page, also for a note that was refused."""
    now = timezone.now()
    about = membership.project
    context = {
        "membership": membership,
        "has_sessions": queries.has_sessions(about),
    }
    if context["has_sessions"]:
        context |= {
            "now": now,
            "attention": attention.of_project(about, now=now),
            "rates": rates.of_last_day(about, now=now, zone=readers_zone(request)),
            "governed": browsing.governed(about, now=now),
            "agents": busiest_agents(about.id, limit=attention.SHOWN),
            "looked_at": ACTS_LOOKED_AT,
            "handovers": Handover.objects.newest(about.id, most=SHOWN_HANDOVERS),
            "may_act": may(membership, Permission.WRITE, about),
            "key": new_key(),
        }
    return render(request, "console/project.html", context)


@page
def first_session(request: HttpRequest, slug: str) -> HttpResponse:
    """Say whether the first session has come: a part of a page that waits for it."""
    membership = entered(request, slug)
    now = timezone.now()
    every = queries.SessionFilter()
    found = queries.sessions(membership.project, every, after_id=None, now=now)
    rows = session_rows(queries.rows(found[:1], now))
    context = {"membership": membership, "arrived": rows[0] if rows else None}
    return render(request, "components/_arrival.html", context)
