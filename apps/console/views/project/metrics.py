"""The rollback rate and what goes with it; and the rollbacks behind each number."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Membership
from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.console.forms.metrics import BehindForm, RangeForm
from apps.console.pages.metrics import header, metrics_page
from apps.console.pages.project import attention
from apps.console.queries import PAGE
from apps.console.views.requests.decorators import entered, page
from apps.console.views.requests.page_links import query
from apps.console.views.requests.time_zone import asked_zone, readers_zone
from apps.core.errors import InvalidRequest
from apps.metrics.rollback_list import list_rollbacks


@page
def metrics(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the numbers of a time; what cannot be read is said on the page."""
    membership = entered(request, slug)
    form, now = RangeForm(request.GET), timezone.now()
    zone = readers_zone(request)
    context: dict[str, Any] = {
        "membership": membership,
        "form": form,
        "said": form.data,
        "now": now,
        "zone": str(zone),
        "asked_zone": asked_zone(request),
        "firing": attention.firing(membership.project),
    }
    try:
        found = form.range(now)
    except InvalidRequest as refused:
        context["refused"] = refused.message
        return render(request, "console/metrics.html", context, status=400)
    agent = _agent(membership, form.cleaned_data["agent"])
    asked = metrics_page.ask(
        membership.project_id,
        found,
        agent=agent,
        is_compared=form.is_compared,
        zone=zone,
    )
    here = reverse("console:metrics_rollbacks", args=[slug])
    context |= metrics_page.shown(asked, here)
    context |= {
        "agent": agent,
        "said": form.written(zone),
        "header": header.header(request.GET, found, is_compared=form.is_compared),
    }
    return render(request, "console/metrics.html", context)


@page
def metrics_rollbacks(request: HttpRequest, slug: str) -> HttpResponse:
    """List the rollbacks behind a number, newest first."""
    membership = entered(request, slug)
    form = BehindForm(request.GET)
    context = {"membership": membership, "form": form}
    found = form.range()
    agent = _agent(membership, form.cleaned_data["agent"])
    rows = list_rollbacks(
        membership.project_id,
        found,
        form.wanted(),
        after=form.cleaned_data["after"] or None,
        limit=PAGE,
    )
    shown = rows[:PAGE]
    context |= {
        "range": found,
        "agent": agent,
        "wanted": form.wanted(),
        "rows": shown,
        "newest": query(request, after=None) if form.cleaned_data["after"] else None,
        "older": query(request, after=shown[-1].id) if len(rows) > PAGE else None,
    }
    return render(request, "console/metrics_rollbacks.html", context)


def _agent(membership: Membership, agent_id: str) -> Agent | None:
    """Raises: AgentNotFound, also for another project's."""
    if not agent_id:
        return None
    return Agent.objects.visible_to(Scope(membership.project)).one_named(agent_id)
