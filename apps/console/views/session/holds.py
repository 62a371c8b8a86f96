"""Holding a session, and what people attach to it: each one act, then its page."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from apps.accounts.access import Permission
from apps.accounts.models import Membership
from apps.console import queries
from apps.console.forms.session.acting import HoldForm, LabelForm, NoteForm, PauseForm
from apps.console.pages.session import session_page
from apps.console.pages.session.session_page import Place
from apps.console.views.requests.acts import (
    act_once,
    new_key,
    to_version,
    valid,
)
from apps.console.views.requests.decorators import act, form
from apps.console.views.requests.refusals import SeeOther
from apps.console.views.session.detail import (
    session_address,
    session_shown,
    version_address,
    version_shown,
)
from apps.timeline import operations as timeline
from apps.timeline.operations import Expected, Step


@act(Permission.WRITE, shows=session_shown, at=session_address)
def pause(
    request: HttpRequest, membership: Membership, session_id: str
) -> HttpResponse:
    """Hold agents' writes, and keep why; whatever the head is, it is held now."""
    filled = PauseForm(request.POST)
    given = valid(filled)
    receipt = timeline.pause(
        session_id=session_id,
        step=Step(reasoning=given["reason"]),
        act=act_once(request, membership, filled),
    )
    messages.success(request, "Held: agents' writes are refused until it is resumed.")
    return to_version(membership, session_id, receipt.number)


@act(Permission.WRITE, shows=session_shown, at=session_address)
def resume(
    request: HttpRequest, membership: Membership, session_id: str
) -> HttpResponse:
    """Let agents write again."""
    filled = HoldForm(request.POST)
    given = valid(filled)
    receipt = timeline.resume(
        session_id=session_id,
        step=Step(reasoning=given["reason"].strip() or None),
        act=act_once(request, membership, filled),
    )
    messages.success(request, "Resumed: agents may write again.")
    return to_version(membership, session_id, receipt.number)


def close_page(
    request: HttpRequest, membership: Membership, session_id: str
) -> HttpResponse:
    """Say what closing means."""
    session = queries.session(membership.project, session_id)
    place = Place(
        membership=membership, session=session, number=None, now=timezone.now()
    )
    context = session_page.facts(place) | {"key": new_key()}
    return render(request, "console/close.html", context)


def close_address(request: HttpRequest, membership: Membership, session_id: str) -> str:
    return reverse("console:close", args=[membership.project.slug, session_id])


@form(Permission.WRITE, shows=close_page, at=close_address)
def close(
    request: HttpRequest, membership: Membership, session_id: str
) -> HttpResponse:
    """Say what closing means; end the session when that is confirmed."""
    if request.method != "POST":
        return close_page(request, membership, session_id)
    filled = HoldForm(request.POST)
    given = valid(filled)
    receipt = timeline.close(
        session_id=session_id,
        step=Step(reasoning=given["reason"].strip() or None),
        expected=Expected(number=given["expected"]),
        act=act_once(request, membership, filled),
    )
    messages.success(request, "Closed: it can be read and forked, not written to.")
    return to_version(membership, session_id, receipt.number)


@act(Permission.WRITE, shows=version_shown, at=version_address)
def label(
    request: HttpRequest, membership: Membership, session_id: str, number: int
) -> HttpResponse:
    """Give a version a name."""
    filled = LabelForm(request.POST)
    name = valid(filled)["label"]
    timeline.label(
        session_id=session_id,
        number=number,
        name=name,
        act=act_once(request, membership, filled),
    )
    return to_version(membership, session_id, number)


@act(Permission.WRITE, shows=version_shown, at=version_address)
def unlabel(
    request: HttpRequest, membership: Membership, session_id: str, number: int
) -> HttpResponse:
    """Take a name away from a version."""
    filled = LabelForm(request.POST)
    name = valid(filled)["label"]
    timeline.unlabel(
        session_id=session_id,
        number=number,
        name=name,
        act=act_once(request, membership, filled),
    )
    return to_version(membership, session_id, number)


@act(Permission.WRITE, shows=session_shown, at=session_address)
def note(request: HttpRequest, membership: Membership, session_id: str) -> HttpResponse:
    """Write a note about the session, or about the version that is named."""
    filled = NoteForm(request.POST)
    given = valid(filled)
    timeline.add_note(
        session_id=session_id,
        number=given["number"],
        text=given["text"],
        act=act_once(request, membership, filled),
    )
    if given["number"] is not None:
        return to_version(membership, session_id, given["number"])
    where = [membership.project.slug, session_id]
    return SeeOther(reverse("console:session_detail", args=where))
