"""Keeping: policies of retention, what they took, and legal holds.

Members read it; administrators change it. Nothing goes before its preview was seen.
"""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from apps.accounts.access import Permission, may
from apps.accounts.models import Membership
from apps.console.forms.administration.keeping import (
    EnableForm,
    EndForm,
    HoldForm,
    PolicyForm,
)
from apps.console.forms.sending import OnceForm
from apps.console.pages.administration.keeping import keeping as shown_on_it
from apps.console.views.requests.acts import act_of, act_once, made_once, new_key, valid
from apps.console.views.requests.decorators import act, entered, page
from apps.console.views.requests.refusals import SeeOther
from apps.core.errors import DomainError
from apps.retention import operations as retention
from apps.retention.words import HoldKind


@page
def keeping(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what goes after which time, what has gone, and what must stay."""
    return _shown(request, entered(request, slug))


def keeping_shown(
    request: HttpRequest, membership: Membership, **_: str
) -> HttpResponse:
    """Return the page for an act that was refused."""
    return _shown(request, membership)


@act(Permission.ADMIN)
def make_policy(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Make a policy; what is wrong with it is said at its field."""
    form = PolicyForm(request.POST)
    if not form.is_valid():
        return _shown(request, membership, policy_form=form)
    act = act_once(request, membership, form)
    agent = form.cleaned_data["agent_id"] or None

    def make() -> str:
        return str(retention.make_policy(act=act, terms=form.terms(), agent=agent).id)

    try:
        made_once(act, make)
    except DomainError as refused:
        _tell(form, refused)
        return _shown(request, membership, policy_form=form)
    messages.success(request, "The policy is made: see first what it would take.")
    return _to(membership)


@act(Permission.ADMIN, shows=keeping_shown)
def preview_policy(
    request: HttpRequest, membership: Membership, policy_id: str
) -> HttpResponse:
    """Have it counted what a policy would take."""
    form = OnceForm(request.POST)
    valid(form)
    act = act_once(request, membership, form)
    made_once(act, lambda: retention.ask_preview(act=act, policy_id=policy_id).id)
    return _to(membership)


@act(Permission.ADMIN, shows=keeping_shown)
def enable_policy(
    request: HttpRequest, membership: Membership, policy_id: str
) -> HttpResponse:
    """Have the sweep run it."""
    preview_id = valid(EnableForm(request.POST))["preview_id"]
    act = act_of(request, membership)
    retention.enable_policy(act=act, policy_id=policy_id, preview_id=preview_id)
    messages.success(request, "The policy is on: the next hourly sweep runs it.")
    return _to(membership)


@act(Permission.ADMIN, shows=keeping_shown)
def disable_policy(
    request: HttpRequest, membership: Membership, policy_id: str
) -> HttpResponse:
    """Have nothing go by it any more."""
    retention.disable_policy(act=act_of(request, membership), policy_id=policy_id)
    messages.success(request, "The policy is off: nothing more goes by it.")
    return _to(membership)


@act(Permission.ADMIN)
def set_hold(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Set a legal hold; what is wrong with it is said at its field."""
    form = HoldForm(request.POST)
    if not form.is_valid():
        return _shown(request, membership, hold_form=form)
    said = form.cleaned_data
    act = act_once(request, membership, form)

    def make() -> str:
        hold = retention.set_legal_hold(
            act=act,
            kind=HoldKind(said["kind"]),
            value=said["value"] or None,
            reason=said["reason"],
            until=said["until"],
        )
        return str(hold.id)

    try:
        made_once(act, make)
    except DomainError as refused:
        _tell(form, refused)
        return _shown(request, membership, hold_form=form)
    messages.success(request, "The legal hold is set: nothing of it goes from now on.")
    return _to(membership)


@act(Permission.ADMIN, shows=keeping_shown)
def end_hold(
    request: HttpRequest, membership: Membership, hold_id: str
) -> HttpResponse:
    """End a legal hold."""
    reason = valid(EndForm(request.POST))["reason"]
    act = act_of(request, membership)
    retention.end_legal_hold(act=act, hold_id=hold_id, reason=reason)
    messages.success(request, "The legal hold is over.")
    return _to(membership)


def _tell(form: Form, refused: DomainError) -> None:
    form.add_error(
        refused.param if refused.param in form.fields else None, refused.message
    )


def _to(membership: Membership) -> HttpResponse:
    return SeeOther(reverse("console:keeping", args=[membership.project.slug]))


def _shown(
    request: HttpRequest,
    membership: Membership,
    *,
    policy_form: PolicyForm | None = None,
    hold_form: HoldForm | None = None,
) -> HttpResponse:
    context: dict[str, Any] = {
        "membership": membership,
        "may_act": may(membership, Permission.ADMIN, membership.project),
        "policy_form": policy_form or PolicyForm(),
        "hold_form": hold_form or HoldForm(),
        "key": new_key(),
        **shown_on_it(membership.project, now=timezone.now()),
    }
    status = 422 if policy_form or hold_form else 200
    return render(request, "retention/keeping.html", context, status=status)
