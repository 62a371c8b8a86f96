"""Alert rules: their state, for everybody; how administrators change them."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from apps.accounts.access import Permission
from apps.accounts.models import Membership
from apps.agents.errors import AgentNotFound
from apps.audit.actions import Action
from apps.audit.models import Event
from apps.console.forms.alerts import (
    HOURS,
    AlertForm,
    OwnerForm,
    SilenceForm,
    as_it_is,
)
from apps.console.pages.alerts import alerts_page
from apps.console.pages.alerts.alerts_page import Preview
from apps.console.views.requests.acts import act_of, act_once, made_once, new_key
from apps.console.views.requests.decorators import act, entered, page
from apps.console.views.requests.refusals import SeeOther
from apps.core.errors import InvalidRequest
from apps.metrics import alerting
from apps.metrics import operations as operations
from apps.metrics.errors import RuleNotFound
from apps.metrics.mailing import Sending

# How long a page waits to say whether a mail went out.
MAIL_SECONDS = 5.0


@page
def alerts(request: HttpRequest, slug: str) -> HttpResponse:
    """List the project's rules, those that fire first."""
    return _list(request, entered(request, slug))


def alerts_shown(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Return the list for an act that was refused."""
    return _list(request, membership)


@page
def new_alert(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form of a new rule."""
    return _new(request, entered(request, slug, Permission.ADMIN), AlertForm())


@act(Permission.ADMIN)
def preview(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Show what a rule would say, and how often it would have fired; make nothing."""
    form = AlertForm(request.POST)
    found = _previewed(membership, form)
    return _new(request, membership, form, found, status=200 if found else 422)


def new_alert_shown(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Return the form of a rule that was refused, as it was filled in."""
    return _new(request, membership, AlertForm(request.POST))


@act(Permission.ADMIN, shows=new_alert_shown)
def create(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Make a rule."""
    form = AlertForm(request.POST)
    made = _tried(request, membership, form)
    if made is None:
        return _new(request, membership, form, status=422)
    messages.success(request, "The rule is made: the worker looks every minute.")
    return _to(membership, made)


@page
def alert(request: HttpRequest, slug: str, rule_id: str) -> HttpResponse:
    """Show where a rule stands, or who removed it: links to it stay in mails."""
    membership = entered(request, slug)
    try:
        return _one(request, membership, rule_id)
    except RuleNotFound:
        removals = Event.objects.with_action([Action.RULE_DELETED])
        mine = removals.for_project(membership.project_id)
        removal = mine.matching(actor=None, resource_id=rule_id).first()
        if removal is None:
            raise
    context = {"membership": membership, "removal": removal}
    return render(request, "console/alert_removed.html", context, status=410)


def alert_shown(
    request: HttpRequest, membership: Membership, rule_id: str
) -> HttpResponse:
    """Return a rule's page for an act on it that was refused."""
    return _one(request, membership, rule_id)


def alert_address(request: HttpRequest, membership: Membership, rule_id: str) -> str:
    """Return where the page of a rule stands."""
    return reverse("console:alert", args=[membership.project.slug, rule_id])


@act(Permission.ADMIN, shows=alert_shown, at=alert_address)
def update(request: HttpRequest, membership: Membership, rule_id: str) -> HttpResponse:
    """Change what a rule looks for."""
    form = AlertForm(request.POST)
    if _tried(request, membership, form, rule_id) is None:
        return _one(request, membership, rule_id, form=form, status=422)
    messages.success(request, "The rule is changed.")
    return _to(membership, rule_id)


@act(Permission.ADMIN)
def preview_change(
    request: HttpRequest, membership: Membership, rule_id: str
) -> HttpResponse:
    """Show what a rule would do if it were changed so; change nothing."""
    form = AlertForm(request.POST)
    found = _previewed(membership, form)
    status = 200 if found else 422
    return _one(request, membership, rule_id, form=form, preview=found, status=status)


@act(Permission.WRITE, shows=alert_shown)
def acknowledge(
    request: HttpRequest, membership: Membership, rule_id: str
) -> HttpResponse:
    """Say who has what fires."""
    form = OwnerForm(request.POST)
    if not form.is_valid():
        raise InvalidRequest("owner is the name of a member.", param="owner")
    rule = operations.acknowledge_rule(
        rule_id=rule_id,
        owner=form.cleaned_data["owner"] or None,
        act=act_of(request, membership),
    )
    messages.success(request, f"{rule.owner} has it.")
    return _to(membership, rule_id)


@act(Permission.ADMIN)
def silence(request: HttpRequest, membership: Membership, rule_id: str) -> HttpResponse:
    """Tell nobody for a while, or tell again."""
    form = SilenceForm(request.POST, now=timezone.now())
    if not form.is_valid():
        return _one(request, membership, rule_id, quiet=form, status=422)
    _change(request, membership, rule_id, silenced_until=form.end())
    said = "Nobody is told of it for now." if form.end() else "It is told of again."
    messages.success(request, said)
    return _to(membership, rule_id)


@act(Permission.ADMIN, shows=alert_shown)
def enable(request: HttpRequest, membership: Membership, rule_id: str) -> HttpResponse:
    """Have the worker look at a rule."""
    _change(request, membership, rule_id, is_active=True)
    messages.success(request, "The rule is on.")
    return _to(membership, rule_id)


@act(Permission.ADMIN, shows=alert_shown)
def disable(request: HttpRequest, membership: Membership, rule_id: str) -> HttpResponse:
    """Have nobody look at a rule."""
    _change(request, membership, rule_id, is_active=False)
    messages.success(request, "The rule is off: nobody looks at it.")
    return _to(membership, rule_id)


@act(Permission.ADMIN, shows=alert_shown)
def test(request: HttpRequest, membership: Membership, rule_id: str) -> HttpResponse:
    """Tell webhooks and the mail address that this is a test."""
    tried = operations.try_rule(rule_id=rule_id, act=act_of(request, membership))
    messages.success(request, "A test is on its way to the webhooks of alert.firing.")
    if tried.mail is not None:
        _tell_mail(request, tried.mail)
    return _to(membership, rule_id)


@act(Permission.ADMIN, shows=alert_shown)
def delete(request: HttpRequest, membership: Membership, rule_id: str) -> HttpResponse:
    """Remove a rule."""
    operations.remove_rule(rule_id=rule_id, act=act_of(request, membership))
    messages.success(request, "The rule is deleted.")
    return redirect("console:alerts", membership.project.slug)


def _tell_mail(request: HttpRequest, sending: Sending) -> None:
    if not sending.is_over(MAIL_SECONDS):
        messages.error(
            request,
            f"The mail server has not answered within {MAIL_SECONDS:g} seconds. The "
            "mail may still go out; if not, the log says why.",
        )
    elif sending.failure:
        messages.error(request, f"The mail was not sent: {sending.failure}.")
    else:
        messages.success(request, "The mail server has taken the mail.")


def _tried(
    request: HttpRequest,
    membership: Membership,
    form: AlertForm,
    rule_id: str | None = None,
) -> str | None:
    """Do what a form says and return of which rule; None where it says why not."""
    if not form.is_valid():
        return None
    act, said = act_of(request, membership), form.fields_said()
    try:
        if rule_id is None:
            return made_once(
                act_once(request, membership, form),
                lambda: operations.make_rule(fields=said, act=act).id,
            )
        seen = form.cleaned_data["seen"] or None
        operations.change_rule(rule_id=rule_id, fields=said, seen=seen, act=act)
    except (AgentNotFound, InvalidRequest) as refused:
        _say(form, refused)
        return None
    return rule_id


def _change(
    request: HttpRequest, membership: Membership, rule_id: str, **fields: Any
) -> None:
    operations.change_rule(
        rule_id=rule_id, fields=fields, act=act_of(request, membership)
    )


def _to(membership: Membership, rule_id: str) -> HttpResponse:
    return SeeOther(reverse("console:alert", args=[membership.project.slug, rule_id]))


def _previewed(membership: Membership, form: AlertForm) -> Preview | None:
    """Return what a rule would do; None where the form says why there can be none."""
    if not form.is_valid():
        return None
    try:
        rule = alerting.draft(membership.project, form.fields_said())
    except (AgentNotFound, InvalidRequest) as refused:
        _say(form, refused)
        return None
    return alerts_page.preview_of(rule, membership, timezone.now())


def _say(form: AlertForm, refused: AgentNotFound | InvalidRequest) -> None:
    name = "agent" if isinstance(refused, AgentNotFound) else refused.param
    form.add_error(name if name in form.fields else None, refused.message)


def _new(
    request: HttpRequest,
    membership: Membership,
    form: AlertForm,
    preview: Preview | None = None,
    *,
    status: int = 200,
) -> HttpResponse:
    context = {"membership": membership, "form": form, "preview": preview}
    context["key"] = new_key()
    return render(request, "console/alert_new.html", context, status=status)


def _list(request: HttpRequest, membership: Membership) -> HttpResponse:
    context = alerts_page.list_context(membership, timezone.now())
    return render(request, "console/alerts.html", context)


def _one(
    request: HttpRequest,
    membership: Membership,
    rule_id: str,
    *,
    form: AlertForm | None = None,
    quiet: SilenceForm | None = None,
    preview: Preview | None = None,
    status: int = 200,
) -> HttpResponse:
    now = timezone.now()
    context = alerts_page.rule_context(membership, rule_id, now)
    context |= {
        "form": form
        or AlertForm(initial=as_it_is(context["rule"], context["row"].agent)),
        "quiet": quiet or SilenceForm(now=now),
        "preview": preview,
        "hours": HOURS,
    }
    return render(request, "console/alert.html", context, status=status)
