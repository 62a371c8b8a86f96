"""What was said in a session, oldest first: a window of it, or one message whole."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from apps.console import queries
from apps.console.forms.session.looking import ConversationForm
from apps.console.pages.session import session_page
from apps.console.pages.session.conversation import page as conversation_page
from apps.console.pages.session.conversation.windows import Asked
from apps.console.pages.session.session_page import Place
from apps.console.views.requests.decorators import entered, page


@page
def conversation(request: HttpRequest, slug: str, session_id: str) -> HttpResponse:
    """Show who said what, in which version, and what a rollback set aside."""
    membership = entered(request, slug)
    session = queries.session(membership.project, session_id)
    given = ConversationForm(request.GET).given()
    place = Place(
        membership=membership, session=session, number=None, now=timezone.now()
    )
    source, whole = given.pop("source"), given.pop("whole")
    found = (
        conversation_page.whole(place, source, whole)
        if whole
        else conversation_page.shown(place, source, Asked(**given))
    )
    context = session_page.facts(place) | found
    return render(request, "console/conversation.html", context)
