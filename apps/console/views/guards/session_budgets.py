"""The budgets of a session, as administrators make, change and remove them."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from apps.accounts.access import Permission
from apps.accounts.models import Membership
from apps.console import queries
from apps.console.pages.guards import spending
from apps.console.pages.session import session_page
from apps.console.pages.session.session_page import Place
from apps.console.views.guards.filled import LimitForm, SessionBudgetForm
from apps.console.views.requests.acts import act_of, act_once, made_once, new_key
from apps.console.views.requests.decorators import act, form
from apps.console.views.requests.refusals import SeeOther
from apps.guards import operations as guards
from apps.guards.errors import BudgetNotFound, TooManyBudgets, UnacceptableBudget
from apps.guards.models import Budget
from apps.timeline.models import Session


@form(Permission.ADMIN)
def session_budgets(
    request: HttpRequest, membership: Membership, session_id: str
) -> HttpResponse:
    """Show the budgets of a session, and make one more of what is typed."""
    session = queries.session(membership.project, session_id)
    if request.method != "POST":
        return _shown(request, membership, session, SessionBudgetForm())
    filled = SessionBudgetForm(request.POST)
    if not filled.is_valid():
        return _shown(request, membership, session, filled)
    try:
        act, said = act_of(request, membership), filled.said(session.id)
        made_once(
            act_once(request, membership, filled),
            lambda: str(guards.create_budget(act=act, said=said).id),
        )
    except (UnacceptableBudget, TooManyBudgets) as refused:
        place = refused.param if refused.param in filled.fields else None
        filled.add_error(place, refused.message)
        return _shown(request, membership, session, filled)
    messages.success(request, "The session is held to the budget from now on.")
    return _to_budgets(membership, session)


@act(Permission.ADMIN)
def change_session_budget(
    request: HttpRequest, membership: Membership, session_id: str, budget_id: str
) -> HttpResponse:
    """Give a budget of a session another limit; what it paused stays so."""
    session = _with_budget(membership, session_id, budget_id)
    try:
        guards.change_budget(
            act=act_of(request, membership),
            budget_id=budget_id,
            fields={"most": LimitForm(request.POST).most()},
        )
    except UnacceptableBudget as refused:
        empty = SessionBudgetForm()
        return _shown(request, membership, session, empty, (budget_id, refused.message))
    messages.success(
        request, "The limit is set. A session that it paused is resumed by people."
    )
    return _to_budgets(membership, session)


@act(Permission.ADMIN)
def delete_session_budget(
    request: HttpRequest, membership: Membership, session_id: str, budget_id: str
) -> HttpResponse:
    """Remove a budget of a session."""
    session = _with_budget(membership, session_id, budget_id)
    guards.delete_budget(act=act_of(request, membership), budget_id=budget_id)
    messages.success(request, "The budget is removed.")
    return _to_budgets(membership, session)


def _with_budget(membership: Membership, session_id: str, budget_id: str) -> Session:
    """Raises: SessionNotFound, BudgetNotFound."""
    session = queries.session(membership.project, session_id)
    if not Budget.objects.of_session(session.id).filter(id=budget_id).exists():
        raise BudgetNotFound(param="budget_id")
    return session


def _shown(
    request: HttpRequest,
    membership: Membership,
    session: Session,
    filled: forms.Form,
    refused: tuple[str, str] = ("", ""),
) -> HttpResponse:
    """Show the page; `refused` is a budget whose new limit is none, and why."""
    now = act_of(request, membership).now
    place = Place(membership=membership, session=session, number=None, now=now)
    context = session_page.facts(place) | {
        "rows": spending.of_session(session),
        "form": filled,
        "refused_id": refused[0],
        "refused": refused[1],
        "key": new_key(),
    }
    status = 422 if filled.errors or refused[0] else 200
    return render(request, "console/session_budgets.html", context, status=status)


def _to_budgets(membership: Membership, session: Session) -> HttpResponse:
    where = [membership.project.slug, session.id]
    return SeeOther(reverse("console:session_budgets", args=where))
