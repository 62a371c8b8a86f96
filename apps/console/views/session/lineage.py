"""Where a session comes from, what was forked from it, and where it stepped back."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from apps.console import queries
from apps.console.pages.drawings import lineage_graph
from apps.console.pages.session import session_page
from apps.console.pages.session.session_page import Place
from apps.console.views.requests.decorators import entered, page
from apps.timeline.queries import FAMILY_SESSIONS, partings, session_family


@page
def lineage(request: HttpRequest, slug: str, session_id: str) -> HttpResponse:
    """Draw the family of a session; the same is a list for who reads it as text."""
    membership = entered(request, slug)
    session = queries.session(membership.project, session_id)
    place = Place(
        membership=membership, session=session, number=None, now=timezone.now()
    )
    kin = session_family(membership.project.id, session.id)
    rollbacks = partings([one.session_id for one in kin])
    context = session_page.facts(place) | {
        "graph": lineage_graph.graph(kin, rollbacks, session.id),
        "is_cut": len(kin) >= FAMILY_SESSIONS,
    }
    return render(request, "console/lineage.html", context)
