"""Set how an agent's turns form memories."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from apps.accounts.access import Permission
from apps.accounts.models import Membership
from apps.console.forms.agents import FormationForm
from apps.console.views.project.agents import agent_shown
from apps.console.views.requests.acts import act_of, valid
from apps.console.views.requests.decorators import act
from apps.memory.formation import settings
from apps.memory.models import Mode

DONE = {
    Mode.OFF: "Its turns form no memories.",
    Mode.TAGS: "What it marks in its outputs is proposed from the next turn on.",
    Mode.LLM: "What the endpoint makes of its turns is proposed from the next one on.",
}


@act(Permission.WRITE, shows=agent_shown)
def set_formation(
    request: HttpRequest, membership: Membership, agent_id: str
) -> HttpResponse:
    """Set how an agent's turns form memories, from the next turn on."""
    mode = valid(FormationForm(request.POST))["mode"]
    agent, found = settings.set_formation(
        act=act_of(request, membership), reference=agent_id, mode=mode
    )
    messages.success(request, DONE[Mode(found.mode)])
    return redirect("console:agent_detail", membership.project.slug, agent.id)
