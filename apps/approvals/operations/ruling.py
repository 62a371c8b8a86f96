"""Rules of approvals: what an agent asks is held to the first one that means it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Protocol

from django.db import transaction

from apps import checks
from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.approvals.covered import RULE
from apps.approvals.errors import TooManyRules, UnacceptableApproval
from apps.approvals.models import ApprovalRule
from apps.approvals.querysets import MOST_RULES
from apps.approvals.words import Class, Expiry, Who
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.errors import InvalidRequest
from apps.core.ids import new_id
from apps.core.json import Json

MAX_TOOL = 200
SHORTEST, LONGEST = 60, 90 * 24 * 3600


class Call(Protocol):
    """What a rule is held against."""

    @property
    def tool(self) -> str: ...
    @property
    def effect_class(self) -> Class: ...
    @property
    def arguments(self) -> dict[str, Json]: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Terms:
    """How many votes, whose, how long; None: as long as is usual."""

    votes: int
    who: Who
    lives: timedelta | None
    on_expiry: Expiry

    def with_rule(self, rule: ApprovalRule) -> Terms:
        """Return the stricter of these and a rule's; the rule says what expiry does."""
        longest = timedelta(seconds=rule.expires_in)
        return replace(
            self,
            votes=max(self.votes, rule.votes),
            who=Who.ADMIN if Who.ADMIN in (self.who, rule.who) else Who.OPERATOR,
            lives=longest if self.lives is None else min(self.lives, longest),
            on_expiry=Expiry(rule.on_expiry),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class NewRule:
    """A rule as an administrator says it."""

    tool: str | None = None
    effect_class: Class | None = None
    check: str | None = None
    votes: int = 1
    who: Who = Who.OPERATOR
    expires_in: int = 24 * 3600
    on_expiry: Expiry = Expiry.REJECT

    def require(self) -> str | None:
        """Return the check as it is kept.

        Raises: InvalidRequest, at its place in the check; UnacceptableApproval.
        """
        if self.tool is not None and (
            not self.tool.strip()
            or len(self.tool) > MAX_TOOL
            or not self.tool.isprintable()
        ):
            raise InvalidRequest(
                f"tool takes 1 to {MAX_TOOL} printable characters.", param="tool"
            )
        if not SHORTEST <= self.expires_in <= LONGEST:
            raise UnacceptableApproval(
                "An approval waits for one minute to 90 days.", param="expires_in"
            )
        if self.check is None:
            return None
        try:
            return checks.write_text(checks.read_text(self.check))
        except checks.CheckRefused as refused:
            raise InvalidRequest(
                refused.message,
                param="check",
                position=refused.where.position,
                suggestion=refused.suggestion,
            ) from None


def rule_for(project_id: str, agent_id: str, call: Call) -> ApprovalRule | None:
    """Return the first rule of an agent that means this call."""
    rules = ApprovalRule.objects.of_agent(project_id, agent_id)[:MOST_RULES]
    return next((one for one in rules if _means(one, call)), None)


def _means(rule: ApprovalRule, call: Call) -> bool:
    """Say whether a rule means a call; what is undecided is asked about."""
    if rule.tool not in (None, call.tool):
        return False
    if rule.effect_class not in (None, call.effect_class):
        return False
    if rule.check_text is None:
        return True
    verdict = checks.evaluate(checks.read_text(rule.check_text), call.arguments)
    return verdict.outcome is not checks.Outcome.FAILS


@transaction.atomic
def create_rule(*, act: Act, reference: str, said: NewRule) -> ApprovalRule:
    """Have an agent's requests held to one more rule, after those it has.

    Raises: AgentNotFound, AgentDeleted, InvalidRequest, UnacceptableApproval,
    TooManyRules.
    """
    check = said.require()
    agent = _locked(act, reference)
    agent.require_kept()
    if ApprovalRule.objects.of_agent(act.project_id, agent.id).count() >= MOST_RULES:
        raise TooManyRules(most=MOST_RULES)
    rule = ApprovalRule(
        id=new_id("arul", now=act.now),
        project=act.project,
        agent=agent,
        tool=said.tool,
        effect_class=said.effect_class,
        check_text=check,
        votes=said.votes,
        who=said.who,
        expires_in=said.expires_in,
        on_expiry=said.on_expiry,
        actor_kind=act.actor.kind.value,
        actor_id=act.actor.id,
        actor_label=act.actor.label,
        created_at=act.now,
    )
    rule.save(force_insert=True)
    left = RULE.left(rule, act.project.index_key).details()
    _record(Action.APPROVAL_RULE_CREATED, act, rule, left)
    return rule


@transaction.atomic
def delete_rule(*, act: Act, reference: str, rule_id: str) -> ApprovalRule:
    """Have the agent's requests held to this rule no more; return what it was.

    Raises: AgentNotFound, ApprovalRuleNotFound.
    """
    agent = _locked(act, reference)
    rule = ApprovalRule.objects.of_agent(act.project_id, agent.id).one(rule_id)
    removed = RULE.removed(rule).details()
    ApprovalRule.objects.filter(id=rule.id).delete()
    _record(Action.APPROVAL_RULE_DELETED, act, rule, removed)
    return rule


def _locked(act: Act, reference: str) -> Agent:
    """Hold the agent's row, so that of two rules at once one sees the other."""
    agents = Agent.objects.visible_to(act.scope).select_for_update(no_key=True)
    return agents.one_named(reference)


def _record(
    action: Action, act: Act, rule: ApprovalRule, row: Mapping[str, Json]
) -> None:
    audit.record_act(
        stream_id=act.project_id,
        project_id=act.project_id,
        action=action,
        resource_type="approval_rule",
        resource_id=rule.id,
        act=act,
        details={"agent_id": rule.agent_id, **row},
    )
