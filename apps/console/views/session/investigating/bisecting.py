"""Since when something is wrong: which versions turned a check."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from apps.agents.scope import Scope
from apps.console import queries
from apps.console.forms.investigating.bisect import BisectForm
from apps.console.pages.project.session_rows import title_of
from apps.console.pages.session import session_page, version_text
from apps.console.views.requests.decorators import entered, page
from apps.timeline.queries import Bisection, Flip, find_flips, write_bisect_cursor


@page
def bisect(request: HttpRequest, slug: str, session_id: str) -> HttpResponse:
    """Show which versions turned a check, and what is known around them."""
    membership = entered(request, slug)
    session = queries.session(membership.project, session_id)
    now = timezone.now()
    form = BisectForm(request.GET if "check" in request.GET else None)
    asked = form.asked() if form.is_bound else None
    place = session_page.Place(
        membership=membership, session=session, number=None, now=now
    )
    context: dict[str, Any] = session_page.facts(place) | {
        "title": title_of(session),
        "text": request.GET.get("check", ""),
        "fault": form.errors["check"][0] if form.is_bound and form.errors else "",
        "more": request.GET.copy(),
    }
    if asked is not None:
        scope = Scope(membership.project)
        found = find_flips(scope, session.id, asked, now=now)
        context |= _told(found, session.id)
        context["more"]["after"] = context["next"]
    status = 400 if context["fault"] else 200
    return render(request, "console/bisect.html", context, status=status)


def _told(found: Bisection, session_id: str) -> dict[str, Any]:
    return {
        "found": found,
        "answer": _answer(found),
        "flips": [_flip(one, session_id) for one in found.flips],
        "next": write_bisect_cursor(found.next),
    }


def _answer(found: Bisection) -> str:
    """Say in words what was found, and no more than is known."""
    bad, good = found.first_bad, found.last_good
    if bad is None and good is None:
        return "Nothing is known: all of these versions are gone"
    if bad is None:
        return "It holds everywhere" if found.is_exact else "No failure was found"
    if good is None:
        return "It never holds" if found.is_exact else "Nowhere was it found to hold"
    is_broken = found.first.outcome == "holds" and bad.outcome == "fails"
    if found.is_exact and is_broken:
        return f"v{bad.place.number} broke it first"
    return f"v{bad.place.number} is the first that was found not to pass"


def _flip(flip: Flip, session_id: str) -> dict[str, Any]:
    is_here = session_id == flip.version.session_id == flip.after.session_id
    broke = flip.was == "holds" and flip.is_certain and flip.set_aside_by is None
    return {
        "flip": flip,
        # What was right before it, where one may go back to that.
        "good": flip.after.number if is_here and broke else None,
        "version": flip.version,
        "operation": version_text.operation(flip.version),
        "says": {
            "holds": "holds from here on",
            "fails": "fails from here on",
            "undecided": "is undecided from here on",
        }[flip.outcome.value],
    }
