"""A person's vote, and the rules that administrators make for an agent."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from apps.accounts.access import Permission
from apps.accounts.models import Membership
from apps.agents.models import Agent
from apps.approvals import operations as approvals
from apps.approvals.errors import TooManyRules, UnacceptableApproval
from apps.approvals.models import ApprovalRule
from apps.approvals.querysets import MOST_RULES
from apps.approvals.words import Status
from apps.console.views.approvals.filled import RuleForm, VoteForm
from apps.console.views.approvals.looking import approval_shown
from apps.console.views.requests.acts import (
    act_of,
    act_once,
    made_once,
    new_key,
    valid,
)
from apps.console.views.requests.decorators import act, form
from apps.console.views.requests.refusals import SeeOther
from apps.console.views.requests.seeing import require_clear
from apps.core.errors import InvalidRequest

SAID = {
    Status.APPROVED: "Approved: the agent may go on with it.",
    Status.REJECTED: "Rejected: the agent is told so.",
    None: "Your vote is kept. It takes another person to decide.",
}


@act(Permission.WRITE, shows=approval_shown)
def vote(
    request: HttpRequest, membership: Membership, approval_id: str
) -> HttpResponse:
    """Give a person's vote on a request."""
    filled = VoteForm(request.POST)
    valid(filled)
    if filled.said().arguments is not None:
        require_clear(request, "an edited request")
    given = approvals.vote(
        act=act_of(request, membership), approval_id=approval_id, said=filled.said()
    )
    outcome = None if given.outcome is None else Status(given.outcome)
    messages.success(request, SAID[outcome])
    where = [membership.project.slug, approval_id]
    return SeeOther(reverse("console:approval", args=where))


@form(Permission.ADMIN)
def approval_rules(
    request: HttpRequest, membership: Membership, agent_id: str
) -> HttpResponse:
    """Show the rules of an agent, and make one more of what is typed."""
    act = act_of(request, membership)
    agent = Agent.objects.visible_to(act.scope).one_named(agent_id)
    if request.method != "POST":
        return _rules(request, membership, agent, RuleForm())
    filled = RuleForm(request.POST)
    if not filled.is_valid():
        return _rules(request, membership, agent, filled, status=422)
    try:
        said = filled.said()
        made_once(
            act_once(request, membership, filled),
            lambda: str(
                approvals.create_rule(act=act, reference=agent.id, said=said).id
            ),
        )
    except (InvalidRequest, UnacceptableApproval, TooManyRules) as refused:
        place = refused.param if refused.param in filled.fields else None
        filled.add_error(place, refused.message)
        return _rules(request, membership, agent, filled, status=422)
    messages.success(request, "The rule holds from the next request on.")
    return _to_rules(membership, agent)


@act(Permission.ADMIN)
def delete_approval_rule(
    request: HttpRequest, membership: Membership, agent_id: str, approval_rule_id: str
) -> HttpResponse:
    """Remove a rule of an agent."""
    act = act_of(request, membership)
    agent = Agent.objects.visible_to(act.scope).one_named(agent_id)
    approvals.delete_rule(act=act, reference=agent.id, rule_id=approval_rule_id)
    messages.success(request, "The rule is removed.")
    return _to_rules(membership, agent)


def _rules(
    request: HttpRequest,
    membership: Membership,
    agent: Agent,
    filled: RuleForm,
    *,
    status: int = 200,
) -> HttpResponse:
    rules = ApprovalRule.objects.of_agent(membership.project_id, agent.id)
    context = {
        "membership": membership,
        "agent": agent,
        "rules": list(rules[:MOST_RULES]),
        "form": filled,
        "key": new_key(),
    }
    return render(request, "console/approval_rules.html", context, status=status)


def _to_rules(membership: Membership, agent: Agent) -> HttpResponse:
    where = [membership.project.slug, agent.id]
    return SeeOther(reverse("console:approval_rules", args=where))
