"""Since when something is wrong: which versions turned a check, or looked wrong."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone

from apps.agents.scope import Scope
from apps.console import queries
from apps.console.forms.investigating.bisect import BisectForm, EyeForm, written
from apps.console.forms.session.looking import PaneForm
from apps.console.pages.project.session_rows import title_of
from apps.console.pages.session import session_page
from apps.console.pages.session.bisecting import answers, pane, spots
from apps.console.pages.session.bisecting.line import Words, line
from apps.console.pages.session.bisecting.ready import ready
from apps.console.views.requests.decorators import entered, page
from apps.timeline.bisect import (
    Bisection,
    Eyed,
    Place,
    Said,
    Trial,
    find_flips,
    look_between,
)
from apps.timeline.bisect import write_cursor as write_bisect_cursor
from apps.timeline.search import changing, failing


@page
def bisect(request: HttpRequest, slug: str, session_id: str) -> HttpResponse:
    """Show which versions turned a check, or which one to look at next."""
    membership = entered(request, slug)
    session = queries.session(membership.project, session_id)
    place = session_page.Place(
        membership=membership, session=session, number=None, now=timezone.now()
    )
    context: dict[str, Any] = session_page.facts(place) | {
        "title": title_of(session),
        "given": request.GET,
    }
    if "by" in request.GET:
        return render(
            request, "console/bisect_eye.html", context | _eyed(request, place)
        )
    context["ready"] = ready(session)
    form = BisectForm(request.GET if "check" in request.GET else None)
    asked = form.asked() if form.is_bound else None
    if asked is None and form.is_bound:
        context["fault"] = form.errors["check"][0]
        return render(request, "console/bisect.html", context, status=400)
    if asked is not None:
        scope = Scope(membership.project)
        found = find_flips(scope, session.id, asked, now=place.now, with_over=True)
        context |= _told(found, place)
        context["more"] = _changed(request.GET, after=context["next"] or "")
        context["whole"] = _changed(request.GET, good="", bad="", after="")
    return render(request, "console/bisect.html", context)


def _told(found: Bisection, place: session_page.Place) -> dict[str, Any]:
    session_id, now = place.session.id, place.now
    bad = answers.turned(found)
    flips = [answers.flip(one, session_id) for one in found.flips]
    broke = next((one for one in flips if _place(one) == bad), None)
    known = spots.Known(found)
    return {
        "found": found,
        "answer": answers.of_check(found),
        "flips": flips,
        "broke": broke,
        "next": write_bisect_cursor(found.next),
        "line": line(
            spots.of_check(found, session_id),
            Words(by_outcome=answers.SAYS, is_alike=known.is_alike),
            selected=bad,
        ),
        "failing": failing(found.check, now=now),
        "changing": changing(found.check, now=now),
        "pane": _pane(place, bad, found.history.before(bad) if bad else None),
    }


def _place(flip: dict[str, Any]) -> Place:
    return Place(flip["version"].session_id, flip["version"].number)


def _pane(
    place: session_page.Place,
    shown: Place | None,
    before: Place | None,
    *,
    with_state: bool = False,
) -> dict[str, Any] | None:
    if shown is None:
        return None
    given = PaneForm({}).given()
    return pane.shown(
        place.membership.project,
        shown,
        given,
        before=before,
        now=place.now,
        with_state=with_state,
    )


def _eyed(request: HttpRequest, place: session_page.Place) -> dict[str, Any]:
    """Raises: InvalidRequest, RangeRefused."""
    session = place.session
    form = EyeForm(request.GET)
    form.require_valid()
    given = form.cleaned_data
    good = given["good"] or 0
    bad = session.head_number if given["bad"] is None else given["bad"]
    trials: list[Trial] = given["tried"]
    eyed = look_between(session, good, bad, form.along, trials)
    kept = QueryDict(_changed(request.GET, good=str(good), bad=str(bad)))
    number = eyed.bad if eyed.middle is None else eyed.middle
    shown = Place(session.id, number)
    before = Place(session.id, eyed.passed.at(eyed.passed.below(number) - 1))
    return {
        "eyed": eyed,
        "ends": (good, bad),
        # To what one may go back, once it is known.
        "good": eyed.good if eyed.middle is None else None,
        "answer": answers.of_eye(eyed),
        "trials": [{"trial": one, "says": _SAYS[one.said]} for one in trials],
        "links": _links(kept, eyed, trials),
        "back": _tried(kept, trials[:-1]) if trials else None,
        "by_check": _changed(kept, by="", tried=""),
        "line": line(
            spots.by_eye(session.id, eyed, trials),
            Words(by_outcome=answers.LOOKS, is_alike=lambda one, other: True),
            selected=shown,
        ),
        "pane": _pane(place, shown, before, with_state=eyed.middle is not None),
    }


_SAYS = {Said.GOOD: "right", Said.BAD: "wrong", Said.SKIPPED: "skipped"}


def _links(kept: QueryDict, eyed: Eyed, trials: list[Trial]) -> dict[str, str]:
    """Return where each answer leads: the trial is in the address alone."""
    if eyed.middle is None:
        return {}
    return {
        said.value: _tried(kept, [*trials, Trial(eyed.middle, said)]) for said in Said
    }


def _tried(kept: QueryDict, trials: list[Trial]) -> str:
    return _changed(kept, tried=written(trials))


def _changed(query: QueryDict, **others: str) -> str:
    """Return a query with other values; what is empty is left out."""
    made = query.copy()
    for name, value in others.items():
        made.pop(name, None)
        if value:
            made[name] = value
    return str(made.urlencode())
