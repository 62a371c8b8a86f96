"""Which memories a session read, and which it taught."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from apps.console import queries
from apps.console.forms.agent_data import asked
from apps.console.forms.memories import ReadsForm
from apps.console.pages.session import session_page
from apps.console.pages.session.session_page import Place
from apps.console.views.requests.acts import act_of
from apps.console.views.requests.decorators import entered, page
from apps.console.views.requests.page_links import query
from apps.memory import operations as memory
from apps.memory.models import Status
from apps.memory.operations import BrowseAsked
from apps.memory.reads.listing import list_reads
from apps.memory.reads.noting import MOST_OF_VERSION

READS, TAUGHT = 20, 50
# Also what was taken back since; what was deleted says nothing any more.
STATUSES = tuple(one.value for one in Status if one != Status.REMOVED)


@page
def session_memories(request: HttpRequest, slug: str, session_id: str) -> HttpResponse:
    """Show what the contexts of a session were given, and what it taught."""
    membership = entered(request, slug)
    session = queries.session(membership.project, session_id)
    after = asked(ReadsForm(request.GET))["after"]
    act = act_of(request, membership)
    place = Place(membership=membership, session=session, number=None, now=act.now)
    found = list_reads(
        act=act, session_id=session.id, limit=READS, after_id=after or None
    )
    taught = memory.browse(
        act=act,
        asked=BrowseAsked(limit=TAUGHT, statuses=STATUSES, taught_by=session.id),
    )
    context = session_page.facts(place) | {
        "reads": [
            {
                "read": one,
                "is_live": any(one.note.version in each for each in place.live),
            }
            for one in found.reads
        ],
        "newest": query(request, after=None) if after else None,
        "older": query(request, after=found.last_id) if found.has_more else None,
        "most": MOST_OF_VERSION,
        "taught": taught.memories,
        "has_more_taught": taught.has_more,
        "may_forget": memory.has_taught(act=act, session_id=session.id),
    }
    return render(request, "console/session_memories.html", context)
