"""What an agent's states say of title, user, waiting and noise: tried, then kept."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from apps.accounts.access import Permission
from apps.accounts.models import Membership
from apps.agents import operations as agents
from apps.agents.mapping import Mapping, mapping_of
from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.console.forms.mapping import MappingForm, as_mapped, unshown
from apps.console.pages.agents import mapping_trial
from apps.console.views.requests.acts import act_of
from apps.console.views.requests.decorators import form
from apps.console.views.requests.refusals import SeeOther
from apps.core.errors import InvalidRequest

KEPT = (
    "The mapping is kept. Titles, users and noise follow it at once. What waits is "
    "decided by it for every write within half a minute."
)
ONLY_BY_CODE = (
    "A key that is mapped here holds the end of a line, which no form shows:"
    " change it over the API."
)
REDERIVED = " After that the worker goes once through the sessions that there are."


def mapping_address(request: HttpRequest, membership: Membership, agent_id: str) -> str:
    """Return where the page of an agent's mapping stands."""
    where = [membership.project.slug, agent_id]
    return reverse("console:agent_mapping", args=where)


def mapping_shown(
    request: HttpRequest, membership: Membership, agent_id: str
) -> HttpResponse:
    """Return the page of an agent's mapping as it is, and what it gives."""
    agent = _agent(membership, agent_id)
    saved = mapping_of(agent)
    return _page(request, membership, agent, MappingForm(as_mapped(saved)), saved)


@form(Permission.ADMIN, shows=mapping_shown, at=mapping_address)
def agent_mapping(
    request: HttpRequest, membership: Membership, agent_id: str
) -> HttpResponse:
    """Show what a mapping gives on the newest sessions; keep it when asked to."""
    if request.method != "POST":
        return mapping_shown(request, membership, agent_id)
    agent = _agent(membership, agent_id)
    filled = MappingForm(request.POST)
    mapping = filled.mapping() if filled.is_valid() else None
    if mapping is not None and (place := unshown(mapping_of(agent))):
        filled.add_error(place, ONLY_BY_CODE)
        mapping = None
    if mapping is None:
        return _page(request, membership, agent, filled, None)
    if filled.cleaned_data["look"]:
        return _page(request, membership, agent, filled, mapping)
    act = act_of(request, membership)
    try:
        changed = agents.map_states(
            act=act,
            reference=agent.id,
            mapping=mapping,
            seen=filled.cleaned_data["seen"] or None,
        )
    except InvalidRequest as refused:
        filled.add_error(refused.param, refused.message)
        return _page(request, membership, agent, filled, mapping)
    is_new = changed.waiting != agent.waiting
    messages.success(request, KEPT + (REDERIVED if is_new else ""))
    where = [membership.project.slug, agent.id]
    return SeeOther(reverse("console:agent_detail", args=where))


def _agent(membership: Membership, agent_id: str) -> Agent:
    return Agent.objects.visible_to(Scope(membership.project)).one_named(agent_id)


def _page(
    request: HttpRequest,
    membership: Membership,
    agent: Agent,
    filled: MappingForm,
    tried: Mapping | None,
) -> HttpResponse:
    """Show the form, and the newest sessions by the mapping that it says."""
    context = {"membership": membership, "agent": agent, "form": filled}
    if tried is not None:
        now = timezone.now()
        context["trials"] = mapping_trial.trials(
            membership.project, agent, tried, now=now
        )
        context["is_saved"] = tried == mapping_of(agent)
    status = 422 if filled.errors else 200
    return render(request, "console/agent_mapping.html", context, status=status)
