"""Following a session that runs: a small question, asked again and again.

The answer has a tag, so that nothing new is 304 and costs one query after the sign-in;
where nothing can come any more it is 286, and the page stops asking.
"""

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import render
from django.utils import timezone

from apps.console import queries
from apps.console.forms.session.looking import SinceForm
from apps.console.pages.session import session_page
from apps.console.pages.session.session_page import Place
from apps.console.views.requests.decorators import entered, page

STOP = 286


@page
def live(request: HttpRequest, slug: str, session_id: str) -> HttpResponse:
    """Say how many versions came since the one that the page shows."""
    membership = entered(request, slug)
    session = queries.session(membership.project, session_id)
    form = SinceForm(request.GET)
    since = form.cleaned_data["since"] if form.is_valid() else None
    place = Place(
        membership=membership, session=session, number=None, now=timezone.now()
    )
    context = session_page.facts(place)
    tag = f'"{session.head_number}-{session.turn_count}-{context["status"]}"'
    is_over = not context["is_live"]
    if request.headers.get("If-None-Match") == tag and not is_over:
        return HttpResponseNotModified(headers={"ETag": tag})
    head = session.head_number
    context["n_new"] = 0 if since is None else max(0, head - since)
    status = STOP if is_over else 200
    response = render(request, "components/_live.html", context, status=status)
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = "private, no-cache"
    return response
