"""What policies held back, and exceptions from them: allow this, allow it no more."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from apps.accounts.access import Permission, may
from apps.accounts.models import Membership
from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.console.forms.agent_data import AllowForm, ConfigForm, asked
from apps.console.views.requests.acts import (
    act_of,
    act_once,
    made_once,
    new_key,
    valid,
)
from apps.console.views.requests.decorators import act, entered, form, page
from apps.console.views.requests.refusals import SeeOther
from apps.data import operations as data
from apps.data.audit.looking import Held, held_back, held_write
from apps.data.audit.trail import audit_id
from apps.data.models import PolicyException
from apps.data.operations import NewException
from apps.data.operations.governing.exceptions import DAYS, MOST_DAYS, rules_open_to

HELD = 100
LISTED = 50


@page
def agent_blocked(request: HttpRequest, slug: str, agent_id: str) -> HttpResponse:
    """Show what policies have held back, the same once, and the exceptions made."""
    return blocked_shown(request, entered(request, slug), agent_id)


def blocked_shown(
    request: HttpRequest, membership: Membership, agent_id: str, **_: str
) -> HttpResponse:
    """Return the page, also for an act that was refused."""
    before = asked(ConfigForm(request.GET))["before"]
    found = data.list_exceptions(
        act=act_of(request, membership), reference=agent_id, limit=LISTED + 1
    )
    may_act = may(membership, Permission.WRITE, membership.project)
    now = act_of(request, membership).now
    held = held_back(found.agent.id, before=before, limit=HELD)
    holding = [one for one in found.exceptions if one.holds_at(now)]
    context = {
        "membership": membership,
        "agent": found.agent,
        "is_first": before is None,
        "held": held,
        "rows": [(one, _until(one, holding)) for one in held.found],
        "exceptions": found.exceptions[:LISTED],
        "has_older": len(found.exceptions) > LISTED,
        "now": now,
        "may_act": may_act,
        "open_rules": _open_rules(membership) if may_act else (),
    }
    return render(request, "console/agent_blocked.html", context)


def allowing_shown(
    request: HttpRequest, membership: Membership, agent_id: str, blocked: int
) -> HttpResponse:
    """Return the form of an exception, also where it was refused."""
    agent = Agent.objects.visible_to(Scope(membership.project)).one_named(agent_id)
    record = held_write(agent.id, blocked)
    context: dict[str, Any] = {
        "membership": membership,
        "agent": agent,
        "blocked": record,
        "may_allow": record.rule in _open_rules(membership),
        "days": f"{DAYS:g}",
        "most_days": MOST_DAYS,
        "key": new_key(),
    }
    return render(request, "console/agent_allow.html", context)


@form(Permission.WRITE, shows=allowing_shown)
def allow_blocked(
    request: HttpRequest, membership: Membership, agent_id: str, blocked: int
) -> HttpResponse:
    """Show what an exception would let pass; make it when confirmed."""
    if request.method != "POST":
        return allowing_shown(request, membership, agent_id, blocked)
    filled = AllowForm(request.POST)
    given = valid(filled)
    once = act_once(request, membership, filled)
    agent = Agent.objects.visible_to(once.scope).one_named(agent_id)
    said = NewException(
        reason=given["reason"],
        days=given["days"],
        audit_id=audit_id(held_write(agent.id, blocked).event_id),
        prefix=given["begins"] if given["covers"] == "prefix" else None,
    )
    is_admin = may(membership, Permission.ADMIN, membership.project)

    def perform() -> str:
        made = data.create_exception(
            act=once, reference=agent_id, said=said, may_secrets=is_admin
        )
        return str(made.exception.id)

    made_once(once, perform)
    messages.success(request, "It is allowed: what the agent writes again now passes.")
    return _to_blocked(membership, agent_id)


@act(Permission.WRITE, shows=blocked_shown)
def end_exception(
    request: HttpRequest, membership: Membership, agent_id: str, exception_id: str
) -> HttpResponse:
    """Let the policy hold again, from the next write on."""
    data.end_exception(
        act=act_of(request, membership), reference=agent_id, exception_id=exception_id
    )
    messages.success(request, "The exception has ended: the policy holds again.")
    return _to_blocked(membership, agent_id)


def _until(held: Held, holding: Sequence[PolicyException]) -> datetime | None:
    """Return until when what was held back passes; None while it is blocked."""
    ends = (
        one.expires_at
        for one in holding
        if one.covers(held.rule, held.key or "", held.fingerprint)
    )
    return max(ends, default=None)


def _open_rules(membership: Membership) -> frozenset[str]:
    is_admin = may(membership, Permission.ADMIN, membership.project)
    return rules_open_to(may_secrets=is_admin)


def _to_blocked(membership: Membership, agent_id: str) -> HttpResponse:
    where = [membership.project.slug, agent_id]
    return SeeOther(reverse("console:agent_blocked", args=where))
