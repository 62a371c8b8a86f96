"""Acts on incidents: open, change, write a note, take a session out, plan."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from apps.accounts.access import Permission
from apps.accounts.models import Membership
from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.console.forms.investigating.incidents import (
    AddForm,
    ChangeForm,
    NoteForm,
    OpenForm,
    RemoveForm,
)
from apps.console.forms.plans import IncidentPlanForm
from apps.console.views.incidents.looking import incident_address, incident_shown
from apps.console.views.requests.acts import act_of, act_once, made_once, new_key, valid
from apps.console.views.requests.decorators import act, form
from apps.console.views.requests.refusals import SeeOther, sent_to
from apps.console.views.requests.seeing import as_shown
from apps.core.errors import InvalidRequest
from apps.incidents import operations as incidents
from apps.incidents.operations import Collected
from apps.incidents.operations.texts import check_of
from apps.incidents.words import MOST
from apps.timeline.search import count_sessions, parse_query

# Sessions that the form counts, before they are collected.
COUNTED = 1_000


def opening_shown(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Return the form, also for an act that was refused."""
    filled = OpenForm(sent_to(request, typed={"title", "check"}))
    given = valid(filled)
    picked = request.POST.getlist("session")
    context: dict[str, Any] = {
        "membership": membership,
        "given": given,
        "picked": picked,
        "most": MOST,
        "key": new_key(),
        **({} if picked else _found(membership, given["q"])),
    }
    return render(request, "console/incident_open.html", context)


@form(Permission.WRITE, shows=opening_shown)
def open_incident(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Show what would be collected; POST opens the incident with a title."""
    filled = OpenForm(request.POST)
    if request.method != "POST" or request.POST.get("look"):
        # What is only looked at is counted as whoever looks may see it.
        with as_shown(request):
            return opening_shown(request, membership)
    given = valid(filled)
    act = act_once(request, membership, filled)
    with as_shown(request):
        check = check_of(given["check"])
        collected = _collected(act, request.POST.getlist("session"), given["q"])
    incident_id = made_once(
        act,
        lambda: str(
            incidents.open_incident(
                act=act, title=given["title"], collected=collected, check=check
            ).id
        ),
    )
    return SeeOther(incident_address(request, membership, incident_id))


@act(Permission.WRITE, shows=incident_shown, at=incident_address)
def change_incident(
    request: HttpRequest, membership: Membership, incident_id: str
) -> HttpResponse:
    """Change the title, the status, the owner or the check: whatever was sent."""
    filled = ChangeForm(request.POST)
    given = valid(filled)
    changes = {
        name: given[name]
        for name in ("title", "status", "owner", "check")
        if name in request.POST
    }
    if not changes:
        raise InvalidRequest("Say what is to be changed.", param="status")
    for name in ("owner", "check"):
        if name in changes:
            changes[name] = changes[name] or None
    if "check" in changes:
        with as_shown(request):
            changes["check"] = check_of(changes["check"])
    incidents.change(
        act=act_of(request, membership), incident_id=incident_id, **changes
    )
    return SeeOther(incident_address(request, membership, incident_id))


@act(Permission.WRITE, shows=incident_shown, at=incident_address)
def plan_incident(
    request: HttpRequest, membership: Membership, incident_id: str
) -> HttpResponse:
    """Plan to roll back or to hold all sessions of an incident; show it first."""
    filled = IncidentPlanForm(request.POST)
    given = valid(filled)
    act = act_once(request, membership, filled)
    params = filled.target() if given["kind"] == "rollback" else {}
    with as_shown(request):
        plan_id = made_once(
            act,
            lambda: str(
                incidents.plan(
                    act=act,
                    incident_id=incident_id,
                    kind=given["kind"],
                    params=params,
                ).id
            ),
        )
    return SeeOther(reverse("console:plan", args=[membership.project.slug, plan_id]))


@act(Permission.WRITE, shows=incident_shown, at=incident_address)
def note_incident(
    request: HttpRequest, membership: Membership, incident_id: str
) -> HttpResponse:
    """Write a note on an incident, once however often it is sent."""
    filled = NoteForm(request.POST)
    text = valid(filled)["text"]
    act = act_once(request, membership, filled)
    made_once(
        act,
        lambda: str(incidents.note(act=act, incident_id=incident_id, text=text).id),
    )
    return SeeOther(incident_address(request, membership, incident_id))


@act(Permission.WRITE, shows=incident_shown, at=incident_address)
def narrow_incident(
    request: HttpRequest, membership: Membership, incident_id: str
) -> HttpResponse:
    """Take a session out that does not belong to the incident."""
    filled = RemoveForm(request.POST)
    session_id = valid(filled)["session"]
    act = act_once(request, membership, filled)
    made_once(
        act,
        lambda: str(
            incidents.remove(act=act, incident_id=incident_id, session_id=session_id).id
        ),
    )
    messages.success(request, "It was taken out; its row stays, and says by whom.")
    return SeeOther(incident_address(request, membership, incident_id))


@act(Permission.WRITE, shows=incident_shown, at=incident_address)
def widen_incident(
    request: HttpRequest, membership: Membership, incident_id: str
) -> HttpResponse:
    """Add sessions that belong to the incident, by their ids."""
    filled = AddForm(request.POST)
    ids = valid(filled)["sessions"]
    act = act_once(request, membership, filled)
    made_once(
        act,
        lambda: str(
            incidents.add(act=act, incident_id=incident_id, session_ids=ids).id
        ),
    )
    messages.success(request, "They are in it, as they are now.")
    return SeeOther(incident_address(request, membership, incident_id))


def _found(membership: Membership, text: str) -> dict[str, Any]:
    """Return how many sessions a search finds, as far as they are counted."""
    now = timezone.now()
    found = count_sessions(
        Scope(membership.project), parse_query(text, now=now), now=now, most=COUNTED
    )
    here = reverse("console:sessions", args=[membership.project.slug])
    return {
        "n_found": len(found.sessions),
        "is_all": found.is_all,
        "here": here,
    }


def _collected(act: Act, picked: list[str], text: str) -> Collected:
    return Collected.named(picked) if picked else Collected.found(act, text)
