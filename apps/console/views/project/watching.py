"""Watching a session or an agent by mail, and telling the next shift."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from apps.accounts.access import Permission
from apps.accounts.models import Membership
from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.console import queries
from apps.console.forms.watching import HandoverForm, WatchForm
from apps.console.views.project.agents import agent_shown
from apps.console.views.project.home import project_shown
from apps.console.views.requests.acts import act_of, act_once, made_once, valid
from apps.console.views.requests.decorators import act
from apps.console.views.session.detail import session_shown
from apps.watching import operations as watching
from apps.watching.models import Subject


@act(Permission.READ, shows=session_shown)
def watch_session(
    request: HttpRequest, membership: Membership, session_id: str
) -> HttpResponse:
    """Mail the member when the session is rolled back, held or flagged."""
    session = queries.session(membership.project, session_id)
    _watch(request, membership, Subject.SESSION, session.id)
    return redirect("console:session_detail", membership.project.slug, session.id)


@act(Permission.READ, shows=session_shown)
def unwatch_session(
    request: HttpRequest, membership: Membership, session_id: str
) -> HttpResponse:
    """Mail the member no more of this session."""
    _unwatch(request, membership, session_id)
    return redirect("console:session_detail", membership.project.slug, session_id)


@act(Permission.READ, shows=agent_shown)
def watch_agent(
    request: HttpRequest, membership: Membership, agent_id: str
) -> HttpResponse:
    """Mail the member when a session of the agent is rolled back, held or flagged."""
    agents = Agent.objects.visible_to(Scope(membership.project))
    agent = agents.one_named(agent_id)
    _watch(request, membership, Subject.AGENT, agent.id)
    return redirect("console:agent_detail", membership.project.slug, agent.id)


@act(Permission.READ, shows=agent_shown)
def unwatch_agent(
    request: HttpRequest, membership: Membership, agent_id: str
) -> HttpResponse:
    """Mail the member no more of this agent."""
    _unwatch(request, membership, agent_id)
    return redirect("console:agent_detail", membership.project.slug, agent_id)


@act(Permission.WRITE, shows=project_shown)
def hand_over(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Leave a note for the next shift on the project's first page."""
    filled = HandoverForm(request.POST)
    text = valid(filled)["text"]
    act = act_once(request, membership, filled)

    def write() -> str:
        return str(watching.hand_over(act=act, membership=membership, text=text).id)

    made_once(act, write)
    messages.success(request, "Written: whoever comes next sees it here.")
    return redirect("console:project", membership.project.slug)


def _watch(
    request: HttpRequest, membership: Membership, subject: Subject, subject_id: str
) -> None:
    made = watching.watch(
        act=act_of(request, membership),
        membership=membership,
        subject=subject,
        subject_id=subject_id,
        email=valid(WatchForm(request.POST))["email"],
    )
    messages.success(request, f"You watch this {subject}: mail goes to {made.email}.")


def _unwatch(request: HttpRequest, membership: Membership, subject_id: str) -> None:
    act = act_of(request, membership)
    watching.unwatch(act=act, membership=membership, subject_id=subject_id)
    messages.success(request, "You watch it no more.")
