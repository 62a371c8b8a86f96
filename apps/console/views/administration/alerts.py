"""Alert rules: their state, for everybody; how administrators change them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from apps.accounts.access import Permission
from apps.accounts.models import Membership
from apps.agents.errors import AgentNotFound
from apps.agents.models import Agent
from apps.audit.actions import Action
from apps.audit.models import Event
from apps.console.forms.alerts import HOURS, METRICS, AlertForm, SilenceForm, as_it_is
from apps.console.views.requests.acts import act_of
from apps.console.views.requests.decorators import act, entered, page
from apps.console.views.requests.refusals import SeeOther
from apps.core.errors import InvalidRequest
from apps.core.outbound.links import path_to
from apps.metrics import alerting
from apps.metrics import operations as operations
from apps.metrics.errors import RuleNotFound
from apps.metrics.mailing import Sending
from apps.metrics.models import AlertState, Metric, Rule

# How long a page waits to say whether a mail went out.
MAIL_SECONDS = 5.0
# What is to be looked at comes first.
ORDER = {AlertState.FIRING: 0, AlertState.PENDING: 1}


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A rule, and where its number comes from."""

    rule: Rule
    metric: str
    agent: str | None
    is_silenced: bool
    chart: str | None
    behind: str | None

    @property
    def says_little(self) -> bool:
        """Whether so few sessions are no reason to tell anybody."""
        seen = self.rule.evaluated_at is not None
        return seen and self.rule.sample < self.rule.minimum_sample

    @property
    def state(self) -> str:
        return self.rule.state if self.rule.is_active else "off"


@page
def alerts(request: HttpRequest, slug: str) -> HttpResponse:
    """List the project's rules, those that fire first."""
    return _list(request, entered(request, slug))


@act(Permission.ADMIN)
def create(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Make a rule."""
    form = AlertForm(request.POST)
    made = _tried(request, membership, form)
    if made is None:
        return _list(request, membership, form=form, status=422)
    messages.success(request, "The rule is made: the worker looks every minute.")
    return _to(membership, made.id)


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


@act(Permission.ADMIN)
def update(request: HttpRequest, membership: Membership, rule_id: str) -> HttpResponse:
    """Change what a rule looks for."""
    form = AlertForm(request.POST)
    if _tried(request, membership, form, rule_id) is None:
        return _one(request, membership, rule_id, form=form, status=422)
    messages.success(request, "The rule is changed.")
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
) -> Rule | None:
    """Do what a form says; None where it says why not."""
    if not form.is_valid():
        return None
    act = act_of(request, membership)
    try:
        if rule_id is None:
            return operations.make_rule(fields=form.fields_said(), act=act)
        return operations.change_rule(
            rule_id=rule_id, fields=form.fields_said(), act=act
        )
    except AgentNotFound as unknown:
        form.add_error("agent", unknown.message)
    except InvalidRequest as refused:
        known = refused.param if refused.param in form.fields else None
        form.add_error(known, refused.message)
    return None


def _change(
    request: HttpRequest, membership: Membership, rule_id: str, **fields: Any
) -> None:
    operations.change_rule(
        rule_id=rule_id, fields=fields, act=act_of(request, membership)
    )


def _to(membership: Membership, rule_id: str) -> HttpResponse:
    return SeeOther(reverse("console:alert", args=[membership.project.slug, rule_id]))


def _list(
    request: HttpRequest,
    membership: Membership,
    *,
    form: AlertForm | None = None,
    status: int = 200,
) -> HttpResponse:
    # A project has some hundred at most.
    rules = list(Rule.objects.of_project(membership.project_id).order_by("id"))
    rows = sorted(_rows(membership, rules, timezone.now()), key=_place)
    context = {"membership": membership, "rows": rows, "form": form or AlertForm()}
    return render(request, "console/alerts.html", context, status=status)


def _one(
    request: HttpRequest,
    membership: Membership,
    rule_id: str,
    *,
    form: AlertForm | None = None,
    quiet: SilenceForm | None = None,
    status: int = 200,
) -> HttpResponse:
    now = timezone.now()
    rule = Rule.objects.of_project(membership.project_id).one(rule_id)
    (row,) = _rows(membership, [rule], now)
    context = {
        "membership": membership,
        "row": row,
        "rule": rule,
        "form": form or AlertForm(initial=as_it_is(rule, row.agent)),
        "quiet": quiet or SilenceForm(now=now),
        "hours": HOURS,
    }
    return render(request, "console/alert.html", context, status=status)


def _rows(membership: Membership, rules: list[Rule], now: datetime) -> list[Row]:
    named = {rule.agent_id for rule in rules if rule.agent_id}
    agents = Agent.objects.of_project(membership.project_id).filter(id__in=named)
    names = dict(agents.values_list("id", "external_id"))
    return [_row(membership.project.slug, rule, names, now) for rule in rules]


def _row(slug: str, rule: Rule, names: dict[str, str], now: datetime) -> Row:
    at = rule.evaluated_at
    seen = alerting.place(rule, at) if at else {}
    until = rule.silenced_until
    return Row(
        rule=rule,
        metric=METRICS[Metric(rule.metric)],
        agent=names.get(rule.agent_id) if rule.agent_id else None,
        is_silenced=until is not None and until > now,
        chart=path_to("metrics", slug, query=seen) if at else None,
        behind=path_to("metrics_rollbacks", slug, query=seen) if at else None,
    )


def _place(row: Row) -> tuple[bool, int, str]:
    known = ORDER.get(AlertState(row.rule.state), len(ORDER))
    return not row.rule.is_active, known, row.rule.id
