"""Rules of approvals over REST: a key reads them, administrators' keys make them."""

from __future__ import annotations

from functools import partial
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.access import Permission
from apps.agents.api.answers import Body, act_of, answered
from apps.agents.models import Agent
from apps.approvals import operations as approvals
from apps.approvals.api.inputs import RuleInput
from apps.approvals.api.outputs import RuleListOutput, RuleOutput
from apps.approvals.api.shapes import rule_object
from apps.approvals.models import ApprovalRule
from apps.approvals.querysets import MOST_RULES
from apps.core import json, paging
from apps.core.http import ApiView
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors

AGENT = OpenApiParameter(
    "agent",
    str,
    OpenApiParameter.PATH,
    description="Our id of the agent, or your name for it, if that has no slash.",
)
RULE = OpenApiParameter(
    "approval_rule_id", str, OpenApiParameter.PATH, description="Its `id`."
)


class RuleView(ApiView):
    """What both addresses have in common: who changes anything is an administrator."""

    required_scope = {"POST": Permission.ADMIN, "DELETE": Permission.ADMIN}


class RuleCollection(RuleView):
    """`/v1/agents/{agent}/approval-rules`"""

    @extend_schema(
        operation_id="create_approval_rule",
        parameters=[AGENT, IDEMPOTENCY_KEY],
        request=RuleInput,
        responses={201: RuleOutput}
        | errors(400, 401, 403, 404, 409, 413, 415, 422, 429, 503),
    )
    def post(self, request: Request, agent: str) -> Response:
        """Hold what the agent asks to terms; the first rule that fits counts."""
        act = act_of(request)

        def perform() -> Body:
            said = self.read(RuleInput).said()
            rule = approvals.create_rule(act=act, reference=agent, said=said)
            return 201, json.dumps(rule_object(rule))

        return answered(request, scope=act.scope, perform=perform)

    @extend_schema(
        operation_id="list_approval_rules",
        parameters=[AGENT],
        responses={200: RuleListOutput} | errors(400, 401, 403, 404, 429, 503),
    )
    def get(self, request: Request, agent: str) -> Response:
        """List all rules of an agent, in the order in which they are asked."""
        act = act_of(request)
        found = Agent.objects.visible_to(act.scope).one_named(agent)
        rules = ApprovalRule.objects.of_agent(act.project_id, found.id)
        return Response(
            paging.page(list(rules[:MOST_RULES]), MOST_RULES, _id_of, rule_object)
        )


class RuleDetail(RuleView):
    """`/v1/agents/{agent}/approval-rules/{approval_rule_id}`"""

    @extend_schema(
        operation_id="delete_approval_rule",
        parameters=[AGENT, RULE, IDEMPOTENCY_KEY],
        request=None,
        responses={200: RuleOutput} | errors(400, 401, 403, 404, 422, 429, 503),
    )
    def delete(self, request: Request, agent: str, approval_rule_id: str) -> Response:
        """Remove a rule; what was asked under it stays held to it."""
        act = act_of(request)
        remove = partial(
            approvals.delete_rule, act=act, reference=agent, rule_id=approval_rule_id
        )

        def perform() -> Body:
            return 200, json.dumps(rule_object(remove()))

        return answered(request, scope=act.scope, perform=perform)


def _id_of(rule: Any) -> str:
    return str(rule.id)
