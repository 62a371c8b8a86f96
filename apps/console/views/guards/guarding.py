"""The guards of an agent, as administrators make, try and switch them on."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from apps.accounts.access import Permission
from apps.accounts.models import Membership
from apps.agents.models import Agent
from apps.console.pages.guards import guarding
from apps.console.views.guards.guard_forms import ChangeForm, GuardForm
from apps.console.views.requests.acts import act_of
from apps.console.views.requests.decorators import act, form
from apps.console.views.requests.refusals import SeeOther
from apps.guards import operations as guards
from apps.guards.errors import (
    GuardExists,
    GuardNotFound,
    GuardUntried,
    TooManyGuards,
    UnacceptableGuard,
)
from apps.guards.models import Guard

REFUSED = (UnacceptableGuard, GuardExists, GuardUntried, TooManyGuards)


@form(Permission.ADMIN)
def agent_guards(
    request: HttpRequest, membership: Membership, agent_id: str
) -> HttpResponse:
    """Show the guards of an agent, and make one more of what is typed."""
    agent = _agent(request, membership, agent_id)
    filled = GuardForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and filled.is_valid():
        try:
            made = guards.create_guard(
                act=act_of(request, membership), said=filled.said(agent.id)
            )
        except REFUSED as refused:
            _refuse(filled, refused)
        else:
            messages.success(request, "The guard observes, within half a minute.")
            return _to_guard(membership, agent, made.id)
    context = {
        "membership": membership,
        "agent": agent,
        "rows": guarding.of_agent(agent.id),
        "form": filled,
    }
    status = 422 if filled.errors else 200
    return render(request, "console/agent_guards.html", context, status=status)


def guard_address(
    request: HttpRequest, membership: Membership, agent_id: str, guard_id: str
) -> str:
    """Return where the page of a guard stands."""
    where = [membership.project.slug, agent_id, guard_id]
    return reverse("console:agent_guard", args=where)


def guard_shown(
    request: HttpRequest,
    membership: Membership,
    agent_id: str,
    guard_id: str,
    filled: ChangeForm | None = None,
) -> HttpResponse:
    """Return the page of a guard, with what is wrong in its form."""
    agent = _agent(request, membership, agent_id)
    guard = _guard(agent, guard_id)
    form = ChangeForm(guard) if filled is None else filled
    context = {
        "membership": membership,
        "agent": agent,
        "row": guarding.row(guard),
        "trial": guarding.trial(guard),
        "said": guarding.said(guard, act_of(request, membership).now),
        "form": form,
    }
    status = 422 if form.errors else 200
    return render(request, "console/agent_guard.html", context, status=status)


@form(Permission.ADMIN, shows=guard_shown, at=guard_address)
def agent_guard(
    request: HttpRequest, membership: Membership, agent_id: str, guard_id: str
) -> HttpResponse:
    """Show a guard and what its newest trial has found, and change it."""
    if request.method != "POST":
        return guard_shown(request, membership, agent_id, guard_id)
    agent = _agent(request, membership, agent_id)
    guard = _guard(agent, guard_id)
    filled = ChangeForm(guard, request.POST)
    if filled.is_valid():
        try:
            guards.change_guard(
                act=act_of(request, membership),
                guard_id=guard.id,
                change=filled.said(),
            )
        except REFUSED as refused:
            _refuse(filled, refused)
        else:
            messages.success(request, "The guard is changed, within half a minute.")
            return _to_guard(membership, agent, guard.id)
    return guard_shown(request, membership, agent_id, guard_id, filled)


@act(Permission.ADMIN)
def try_guard(
    request: HttpRequest, membership: Membership, agent_id: str, guard_id: str
) -> HttpResponse:
    """Have a guard tried on the last seven days."""
    agent = _agent(request, membership, agent_id)
    guard = _guard(agent, guard_id)
    guards.try_guard(act=act_of(request, membership), guard_id=guard.id)
    messages.success(request, "The guard is tried: reload to see how far it is.")
    return _to_guard(membership, agent, guard.id)


@act(Permission.ADMIN)
def withdraw_guard(
    request: HttpRequest, membership: Membership, agent_id: str, guard_id: str
) -> HttpResponse:
    """Withdraw a guard of an agent."""
    agent = _agent(request, membership, agent_id)
    guard = _guard(agent, guard_id)
    guards.withdraw_guard(act=act_of(request, membership), guard_id=guard.id)
    messages.success(request, "The guard is withdrawn, within half a minute.")
    where = [membership.project.slug, agent.id]
    return SeeOther(reverse("console:agent_guards", args=where))


def _agent(request: HttpRequest, membership: Membership, agent_id: str) -> Agent:
    scope = act_of(request, membership).scope
    return Agent.objects.visible_to(scope).one_named(agent_id)


def _guard(agent: Agent, guard_id: str) -> Guard:
    """Raises: GuardNotFound."""
    found = Guard.objects.of_agent(agent.id).filter(id=guard_id).first()
    if found is None:
        raise GuardNotFound(param="guard_id")
    return found


def _refuse(
    filled: forms.Form,
    refused: UnacceptableGuard | GuardExists | GuardUntried | TooManyGuards,
) -> None:
    """Say what is wrong beside the field that it is wrong with."""
    name = (refused.param or "").split(".")[0]
    place = {"rule": "line"}.get(name, name)
    filled.add_error(place if place in filled.fields else None, refused.message)


def _to_guard(membership: Membership, agent: Agent, guard_id: str) -> HttpResponse:
    where = [membership.project.slug, agent.id, guard_id]
    return SeeOther(reverse("console:agent_guard", args=where))
