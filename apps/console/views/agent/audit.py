"""An agent's chained record: its list, its proof, its export."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from apps.accounts.access import Permission, may
from apps.accounts.models import Membership
from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.console.forms.agent_data import AgentAuditForm, ExportForm, asked
from apps.console.forms.project import VerifyForm
from apps.console.pages.agents.acts import told
from apps.console.pages.filter_chips import applied
from apps.console.queries import PAGE
from apps.console.views.requests.acts import act_of, valid
from apps.console.views.requests.decorators import act, entered, page
from apps.console.views.requests.refusals import SeeOther
from apps.data import operations as data
from apps.data.audit.looking import recent
from apps.data.audit.verifying import verify_numbers
from apps.data.operations import ExportRequest

VERIFIED = 50_000


@page
def agent_audit(request: HttpRequest, slug: str, agent_id: str) -> HttpResponse:
    """List what was done with the agent, newest first, by its operation if asked."""
    return audit_shown(request, entered(request, slug), agent_id)


def audit_shown(
    request: HttpRequest, membership: Membership, agent_id: str
) -> HttpResponse:
    """Return the list, also for an export that was refused."""
    form = AgentAuditForm(request.GET)
    given = asked(form)
    agent = _agent(membership, agent_id)
    found = recent(
        agent.id,
        operations=[given["operation"]] if given["operation"] else (),
        before=given["before"],
        limit=PAGE,
    )
    context = {
        "membership": membership,
        "agent": agent,
        "form": form,
        "chips": applied(request.GET, form),
        "operation": given["operation"],
        "is_first": given["before"] is None,
        "found": found,
        "acts": told(found.records),
        "may_act": may(membership, Permission.WRITE, membership.project),
    }
    return render(request, "console/agent_audit.html", context)


@page
def agent_verify(request: HttpRequest, slug: str, agent_id: str) -> HttpResponse:
    """Recompute the agent's chain, so many links at a time."""
    membership = entered(request, slug)
    after = asked(VerifyForm(request.GET))["after"] or 0
    agent = _agent(membership, agent_id)
    context = {
        "membership": membership,
        "agent": agent,
        "first": after + 1,
        "verified": verify_numbers(
            agent.id, after + 1, after + VERIFIED, now=timezone.now()
        ),
    }
    return render(request, "console/agent_verify.html", context)


@act(Permission.WRITE, shows=audit_shown)
def export_agent_audit(
    request: HttpRequest, membership: Membership, agent_id: str
) -> HttpResponse:
    """Freeze the agent's record, and lead to its file; both are recorded."""
    given = valid(ExportForm(request.POST))
    made = data.export_audit(
        act=act_of(request, membership),
        reference=agent_id,
        wanted=ExportRequest(format=given["format"]),
    )
    token = data.link_token(export=made.export)
    return SeeOther(reverse("data:audit_file", args=[token]))


def _agent(membership: Membership, agent_id: str) -> Agent:
    return Agent.objects.visible_to(Scope(membership.project)).one_named(agent_id)
