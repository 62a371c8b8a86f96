"""Agents: which there are, what each has been doing, and whether it may write."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from apps.accounts.access import Permission, may
from apps.accounts.models import Membership
from apps.agents import operations as agents
from apps.console import queries
from apps.console.forms.agent_data import asked
from apps.console.forms.agents import AgentsForm, ReasonForm
from apps.console.pages.agents.acts import told
from apps.console.pages.agents.policy_words import sentences
from apps.console.pages.filter_chips import applied
from apps.console.pages.project.session_rows import session_rows
from apps.console.pages.session.version_text import pretty
from apps.console.views.requests.acts import act_of, valid
from apps.console.views.requests.decorators import act, entered, page
from apps.console.views.requests.page_links import query
from apps.data import browsing
from apps.memory.formation.endpoint import is_configured
from apps.memory.formation.settings import read_formation
from apps.timeline.queries import NEWEST_SESSIONS, agent_activity


@page
def agent_list(request: HttpRequest, slug: str) -> HttpResponse:
    """List the agents, newest first, with what they have been doing."""
    membership = entered(request, slug)
    form = AgentsForm(request.GET)
    after = asked(form)["after"] or None
    found = queries.agents(membership.project, asked=form.asked(), after_id=after)
    shown = found[: queries.PAGE]
    known = agent_activity(membership.project_id, [agent.id for agent in shown])
    context = {
        "membership": membership,
        "form": form,
        "rows": [(agent, known[agent.id]) for agent in shown],
        "newest_sessions": NEWEST_SESSIONS,
        "chips": applied(request.GET, form),
        "newest": query(request, after=None) if after else None,
        "older": query(request, after=shown[-1].id)
        if len(found) > queries.PAGE
        else None,
    }
    return render(request, "console/agent_list.html", context)


@page
def agent_detail(request: HttpRequest, slug: str, agent_id: str) -> HttpResponse:
    """Show one agent and its newest sessions."""
    return agent_shown(request, entered(request, slug), agent_id)


def agent_shown(
    request: HttpRequest, membership: Membership, agent_id: str
) -> HttpResponse:
    """Return an agent's page, also for an act that was refused."""
    looking = act_of(request, membership)
    summary = browsing.summarize(act=looking, reference=agent_id)
    agent, now = summary.agent, timezone.now()
    sessions = queries.sessions(
        membership.project,
        queries.SessionFilter(agent=agent.external_id),
        after_id=None,
        now=now,
    )
    context = {
        "membership": membership,
        "agent": agent,
        "activity": agent_activity(membership.project_id, [agent.id])[agent.id],
        "newest_sessions": NEWEST_SESSIONS,
        "summary": summary,
        "rules": sentences(summary.rules),
        "acts": told(summary.changes.records),
        "formation": read_formation(act=looking, reference=agent.id)[1],
        "has_endpoint": is_configured(),
        "metadata": pretty(bytes(agent.metadata)),
        "rows": session_rows(queries.rows(sessions[: queries.SHOWN_OF_AGENT], now)),
        "may_act": may(membership, Permission.WRITE, membership.project),
        "may_delete": may(membership, Permission.ADMIN, membership.project),
        "watch": queries.watch_of(membership, agent.id),
    }
    return render(request, "console/agent_detail.html", context)


@act(Permission.WRITE, shows=agent_shown)
def suspend(
    request: HttpRequest, membership: Membership, agent_id: str
) -> HttpResponse:
    """Stop the agent's writes, and keep why."""
    given = valid(ReasonForm(request.POST))
    agent = agents.suspend(
        reference=agent_id, reason=given["reason"], act=act_of(request, membership)
    )
    messages.success(
        request, f"{agent} is suspended: its writes are refused, reading goes on."
    )
    return redirect("console:agent_detail", membership.project.slug, agent.id)


@act(Permission.WRITE, shows=agent_shown)
def activate(
    request: HttpRequest, membership: Membership, agent_id: str
) -> HttpResponse:
    """Let the agent write again; administrators bring back a deleted one."""
    agent = agents.activate(
        reference=agent_id,
        act=act_of(request, membership),
        may_restore=may(membership, Permission.ADMIN, membership.project),
    )
    messages.success(request, f"{agent} is active: it may write again.")
    return redirect("console:agent_detail", membership.project.slug, agent.id)


@act(Permission.ADMIN, shows=agent_shown)
def delete(request: HttpRequest, membership: Membership, agent_id: str) -> HttpResponse:
    """Stop the agent's writes, leave it out of lists, and keep why."""
    given = valid(ReasonForm(request.POST))
    agent = agents.delete(
        reference=agent_id, reason=given["reason"], act=act_of(request, membership)
    )
    messages.success(
        request, f"{agent} is deleted: its sessions and its record are kept."
    )
    return redirect("console:agent_detail", membership.project.slug, agent.id)
