"""Promote, revert, reapply, restore: GET shows what would become of it, POST does it.

All that is chosen stands in the address, so that each state of the page has one. The
POST carries the head that was shown, and for which choices the result was shown: with
another head, or other choices, nothing is done and the page shows what they give.
"""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from apps.accounts.access import Permission
from apps.accounts.models import Membership
from apps.agents.mapping import agents_noise
from apps.agents.scope import Scope
from apps.console import queries
from apps.console.forms.investigating.merging import Given, MergeForm
from apps.console.pages.session import session_page
from apps.console.pages.session.merging import page
from apps.console.pages.session.merging.meanwhile import came_since
from apps.console.views.requests import refusals
from apps.console.views.requests.acts import act_once, new_key, to_version
from apps.console.views.requests.decorators import form
from apps.console.views.requests.seeing import require_clear
from apps.core.errors import InvalidRequest
from apps.core.http.problems.fallbacks import wants_html
from apps.diffs.merging import Choice, Pick
from apps.diffs.readers import looking
from apps.timeline import operations as timeline
from apps.timeline.errors import MergeConflict, NothingToMerge, VersionConflict
from apps.timeline.operations import Expected, Step
from apps.timeline.queries import MergePreview, MergeRequest, preview_merge
from apps.timeline.words import TAKING_BACK

DONE = {
    "promote": "What the fork had made is brought in.",
    "revert": "Taken back; what came later is kept.",
    "reapply": "Brought back.",
    "restore": "Restored.",
}


def merge_shown(
    request: HttpRequest, membership: Membership, session_id: str
) -> HttpResponse:
    """Return the preview for a merge that was refused."""
    return _page(request, membership, session_id, request.POST)


@form(Permission.WRITE, shows=merge_shown)
def merge(
    request: HttpRequest, membership: Membership, session_id: str
) -> HttpResponse:
    """Show what a merge would do to this session; do it when confirmed."""
    if request.method != "POST":
        return _page(request, membership, session_id, request.GET)
    # A session that is not there is 404, whatever was sent.
    session_id = queries.session(membership.project, session_id).id
    filled = MergeForm(request.POST)
    asked, given = filled.asked(), filled.given()
    shown = filled.cleaned_data["expected"]
    if shown is None or not filled.cleaned_data["key"]:
        raise InvalidRequest("The form names the head it showed.", param="expected")
    _require_clear(request, given)
    where = reverse("console:merge", args=[membership.project.slug, session_id])
    query = filled.query(given)
    if given.faults or filled.cleaned_data["previewed"] != given.digest:
        return refusals.redirect(request, where, None, **query, other="on")
    act = act_once(request, membership, filled)
    try:
        choices = given.choices
        if given.kinds:
            found = _previewed(act.scope, session_id, asked, given)
            choices = found.choices
        receipt = timeline.merge(
            act=act,
            session_id=session_id,
            request=asked,
            choices=choices,
            step=Step(reasoning=filled.cleaned_data["reason"].strip() or None),
            expected=Expected(number=shown),
        )
    except (VersionConflict, MergeConflict, NothingToMerge) as refused:
        if not wants_html(request):
            raise
        stale = shown if isinstance(refused, VersionConflict) else None
        return refusals.redirect(request, where, refused, shown=stale, **query)
    undone = f"To take it back, roll back to v{receipt.number - 1}."
    messages.success(request, f"{DONE[asked.op.value]} {undone}")
    return to_version(membership, session_id, receipt.number)


def _page(
    request: HttpRequest, membership: Membership, session_id: str, data: QueryDict
) -> HttpResponse:
    session = queries.session(membership.project, session_id)
    now = timezone.now()
    place = session_page.Place(
        membership=membership, session=session, number=None, now=now
    )
    context: dict[str, Any] = session_page.facts(place)
    if "verb" not in data:
        forks = queries.forks(session)[: queries.SHOWN_FORKS]
        return render(request, "console/merge_pick.html", {**context, "forks": forks})
    filled = MergeForm(data)
    asked, given = filled.asked(), filled.given()
    _require_clear(request, given)
    found = _previewed(Scope(membership.project), session.id, asked, given)
    fields = filled.cleaned_data
    context |= page.told(
        found, given, fields["start"] or 0, agents_noise(session.agent)
    )
    moved_from = fields["expected"]
    if moved_from is not None and moved_from < found.head.number:
        context["moved_from"] = moved_from
        context["meanwhile"] = came_since(session, moved_from)
        context["n_meanwhile"] = found.head.number - moved_from
    context |= {
        "key": new_key(),
        "fields": filled.places(),
        "pointers": filled.pointers,
        "reason": fields["reason"],
        "needs_reason": membership.project.needs_rollback_reason
        and asked.op in TAKING_BACK,
        "was_refused": refusals.of(request) is not None,
        "chose_others": "other" in data,
    }
    status = 422 if given.faults else 200
    return render(request, "console/merge.html", context, status=status)


def _previewed(
    scope: Scope, session_id: str, asked: MergeRequest, given: Given
) -> MergePreview:
    """Merge what is stored, whoever looks; the page draws each value it shows."""
    now = timezone.now()
    with looking(None):
        found = preview_merge(scope, session_id, asked, now=now, choices=given.choices)
        choices = _with_kinds(found, given)
        if len(choices) == len(found.choices):
            return found
        return preview_merge(scope, session_id, asked, now=now, choices=choices)


def _with_kinds(found: MergePreview, given: Given) -> dict[str, Choice]:
    """Return the choices with those that were made for all others of a kind."""
    choices = dict(found.choices)
    for one in found.combined.conflicts:
        pick = given.kinds.get(one.kind)
        is_free = one.id not in choices and one.id not in given.faults
        if pick in one.picks and is_free:
            choices[one.id] = Choice(pick)
    return choices


def _require_clear(request: HttpRequest, given: Given) -> None:
    """Raises: NotForMasked, where a value is typed by who does not see all of it."""
    picks = [one.pick for one in given.choices.values()]
    if given.faults or Pick.VALUE in picks:
        require_clear(request, "a value of one's own")
