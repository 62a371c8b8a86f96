"""Old states by meaning: a tab of the search, and the switch of the project."""

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.access import Permission, may
from apps.accounts.models import Membership
from apps.accounts.views.acting import acting
from apps.agents.scope import Scope
from apps.console.forms.session.looking import MeaningForm
from apps.console.views.requests.decorators import act, entered, page
from apps.console.views.requests.seeing import require_clear
from apps.core.errors import DomainError, InvalidRequest
from apps.meaning.errors import MeaningUnavailable
from apps.meaning.past.searching import PastFound, PastPlace, search_past

SHOWN = 20


@page
def meaning(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the versions that are nearest to a question, or that it is switched off."""
    membership = entered(request, slug)
    require_clear(request, "a search by meaning")
    form = MeaningForm(request.GET)
    if not form.is_valid():
        raise InvalidRequest("after takes a version of a session.", param="after")
    question = form.cleaned_data["q"]
    found: PastFound | None = None
    refused: DomainError | None = None
    if question and membership.project.search_by_meaning:
        try:
            found = search_past(
                Scope(membership.project),
                question,
                after=form.place(),
                limit=SHOWN,
                now=timezone.now(),
            )
        except (InvalidRequest, MeaningUnavailable) as error:
            refused = error
    here = reverse("console:meaning", args=[slug])
    context = {
        "membership": membership,
        "is_on": membership.project.search_by_meaning,
        "may_set": may(membership, Permission.ADMIN, membership.project),
        "question": question,
        "refused": refused,
        "found": found,
        "newest": form.cleaned_data["after"] and f"{here}?{urlencode({'q': question})}",
        "older": found and found.next and _older(here, question, found.next),
    }
    return render(request, "console/meaning.html", context)


@act(Permission.ADMIN)
def set_meaning(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Switch the search by meaning on or off for the project."""
    wanted = request.POST.get("is_on")
    if wanted not in ("on", "off"):
        raise InvalidRequest("is_on takes on or off.", param="is_on")
    accounts.set_search_by_meaning(
        act=acting(request), project=membership.project, is_on=wanted == "on"
    )
    said = (
        "Old states are embedded from now on, the newest first."
        if wanted == "on"
        else "Old states are found by meaning no more; their vectors are removed."
    )
    messages.success(request, said)
    return redirect("console:meaning", membership.project.slug)


def _older(here: str, question: str, place: PastPlace) -> str:
    after = f"{place.session_id}.{place.number}"
    return f"{here}?{urlencode({'q': question, 'after': after})}"
