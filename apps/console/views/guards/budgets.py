"""The budgets of an agent, as administrators make and remove them."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from apps.accounts.access import Permission
from apps.accounts.models import Membership
from apps.agents.models import Agent
from apps.console.pages.guards import spending
from apps.console.views.guards.filled import BudgetForm
from apps.console.views.requests.acts import act_of, act_once, made_once, new_key
from apps.console.views.requests.decorators import act, form
from apps.console.views.requests.refusals import SeeOther
from apps.guards import operations as guards
from apps.guards.errors import BudgetNotFound, TooManyBudgets, UnacceptableBudget
from apps.guards.models import Budget


@form(Permission.ADMIN)
def budgets(
    request: HttpRequest, membership: Membership, agent_id: str
) -> HttpResponse:
    """Show the budgets of an agent, and make one more of what is typed."""
    act = act_of(request, membership)
    agent = Agent.objects.visible_to(act.scope).one_named(agent_id)
    if request.method != "POST":
        return _budgets(request, membership, agent, BudgetForm())
    filled = BudgetForm(request.POST)
    if not filled.is_valid():
        return _budgets(request, membership, agent, filled, status=422)
    try:
        said = filled.said(agent.id)
        made_once(
            act_once(request, membership, filled),
            lambda: str(guards.create_budget(act=act, said=said).id),
        )
    except (UnacceptableBudget, TooManyBudgets) as refused:
        place = refused.param if refused.param in filled.fields else None
        filled.add_error(place, refused.message)
        return _budgets(request, membership, agent, filled, status=422)
    messages.success(request, "The budget holds within a minute.")
    return _to_budgets(membership, agent)


@act(Permission.ADMIN)
def delete_budget(
    request: HttpRequest, membership: Membership, agent_id: str, budget_id: str
) -> HttpResponse:
    """Remove a budget of an agent."""
    act = act_of(request, membership)
    agent = Agent.objects.visible_to(act.scope).one_named(agent_id)
    if not Budget.objects.of_agent(agent.id).filter(id=budget_id).exists():
        raise BudgetNotFound(param="budget_id")
    guards.delete_budget(act=act, budget_id=budget_id)
    messages.success(request, "The budget is removed.")
    return _to_budgets(membership, agent)


def _budgets(
    request: HttpRequest,
    membership: Membership,
    agent: Agent,
    filled: BudgetForm,
    *,
    status: int = 200,
) -> HttpResponse:
    now = act_of(request, membership).now
    context = {
        "membership": membership,
        "agent": agent,
        "rows": spending.of_agent(agent.id, now),
        "form": filled,
        "key": new_key(),
    }
    return render(request, "console/budgets.html", context, status=status)


def _to_budgets(membership: Membership, agent: Agent) -> HttpResponse:
    where = [membership.project.slug, agent.id]
    return SeeOther(reverse("console:budgets", args=where))
