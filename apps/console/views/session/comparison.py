"""Two sessions side by side: picked by search, what ends up different, the steps."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from apps.accounts.models import Membership
from apps.console import queries
from apps.console.forms.compare import NO_ID, SIDES, CompareForm
from apps.console.pages.session.comparing import page as comparing
from apps.console.pages.session.comparing import picker
from apps.console.views.requests.decorators import entered, page
from apps.timeline.search import LONGEST_TEXT

# What the address of a comparison keeps while something else of it changes.
KEPT = ("left", "left_version", "right", "right_version", "shown")


@page
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Compare two sessions; where a side is missing or to change, let it be picked."""
    membership = entered(request, slug)
    form = CompareForm(request.GET)
    given, misnamed = form.given(), form.misnamed()
    if misnamed is not None:
        # What was typed or pasted is looked for, as it may be in a search.
        given |= {"q": request.GET[misnamed][:LONGEST_TEXT], "after": ""}
        return _pick(request, membership, given, misnamed, fault=NO_ID)
    if given["right"] and not given["left"] and not given["pick"]:
        origin = queries.session(membership.project, given["right"]).origin_session_id
        given["left"] = origin or ""
    missing = next((one for one in SIDES if not given[one]), None)
    side = given["pick"] or missing
    if side is not None:
        return _pick(request, membership, given, side)
    return _compared(request, membership, given)


def _pick(
    request: HttpRequest,
    membership: Membership,
    given: dict[str, Any],
    side: str,
    *,
    fault: str = "",
) -> HttpResponse:
    """Show the search by which one side is picked; the other one stays."""
    now = timezone.now()
    found = picker.find(membership.project, given["q"], given["after"] or None, now=now)
    other = SIDES[1 - SIDES.index(side)]
    kept = {other: given[other], f"{other}_version": given[f"{other}_version"]}
    context = {
        "membership": membership,
        "side": side,
        "other": other,
        "text": given["q"],
        "found": found,
        "fault": fault or found.error,
        "kept": {name: value for name, value in kept.items() if _is_said(value)},
        "link": _link(kept),
        "newest": _link(kept, pick=side, q=given["q"]) if given["after"] else None,
        "older": _link(kept, pick=side, q=given["q"], after=found.after)
        if found.after
        else None,
    }
    if given[other]:
        context["picked"] = comparing.side(
            membership.project,
            other,
            given[other],
            given[f"{other}_version"],
            now=now,
        )
    status = 400 if fault or found.error else 200
    return render(request, "console/compare_pick.html", context, status=status)


def _compared(
    request: HttpRequest, membership: Membership, given: dict[str, Any]
) -> HttpResponse:
    project, now = membership.project, timezone.now()
    left, right = (
        comparing.side(project, one, given[one], given[f"{one}_version"], now=now)
        for one in SIDES
    )
    context = comparing.compared(project, (left, right), given, now)
    kept = {name: given[name] for name in KEPT}
    changes, windows = context["changes"], context["windows"]
    places = {
        f"{one}_after": window.last if window.last is not None else window.end
        for one, window in zip(SIDES, windows, strict=True)
    }
    goes_on = any(window.has_more for window in windows)
    swapped = {
        "left": given["right"],
        "left_version": given["right_version"],
        "right": given["left"],
        "right_version": given["left_version"],
        "shown": given["shown"],
    }
    context |= {
        "membership": membership,
        "given": given,
        "picks": {one: _link(kept, pick=one) for one in SIDES},
        "swap": _link(swapped),
        "toggle": _link({**kept, "shown": "" if given["shown"] else "all"}),
        "earlier": changes and changes.start and _link(kept, start=changes.earlier),
        "next": changes and changes.n_more > 0 and _link(kept, start=changes.end),
        "more_steps": _link(kept, **places) if goes_on else None,
        "first_steps": _link(kept) if _is_later(given) else None,
    }
    return render(request, "console/compare.html", context)


def _is_later(given: dict[str, Any]) -> bool:
    return any(given[f"{one}_after"] is not None for one in SIDES)


def _is_said(value: Any) -> bool:
    return value not in (None, "")


def _link(kept: dict[str, Any], **more: Any) -> str:
    said = {name: one for name, one in {**kept, **more}.items() if _is_said(one)}
    return "?" + urlencode(said)
