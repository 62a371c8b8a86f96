"""How an agent makes its versions, and what would be wiser."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.console.pages.agents import checkpoint_advice
from apps.console.views.requests.decorators import entered, page
from apps.timeline.queries import advise


@page
def agent_advice(request: HttpRequest, slug: str, agent_id: str) -> HttpResponse:
    """Show how an agent makes its versions, by its newest sessions."""
    membership = entered(request, slug)
    agent = Agent.objects.visible_to(Scope(membership.project)).one_named(agent_id)
    found = advise(membership.project_id, agent.id, now=timezone.now())
    context = {
        "membership": membership,
        "agent": agent,
        "found": found,
        "rows": checkpoint_advice.rows(found),
        "hints": checkpoint_advice.words(found),
    }
    return render(request, "console/agent_advice.html", context)
