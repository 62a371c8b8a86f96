"""Budgets over REST: a key reads them, administrators' keys make and change them."""

from __future__ import annotations

from functools import partial
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.access import Permission
from apps.agents.api.answers import Body, act_of, answered
from apps.agents.models import Agent
from apps.core import json, paging
from apps.core.http import ApiView
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors
from apps.guards import operations as guards
from apps.guards.api.serializers import (
    BudgetChange,
    BudgetInput,
    BudgetListOutput,
    BudgetOutput,
)
from apps.guards.api.shapes import budget_object
from apps.guards.models import Budget
from apps.guards.operations import NewBudget
from apps.guards.words import Measure, OnReach, Period
from apps.timeline.api import parameters

WRITE_ERRORS = errors(400, 401, 403, 404, 409, 413, 415, 422, 429, 503)
BUDGET = OpenApiParameter(
    "budget_id", str, OpenApiParameter.PATH, description="The budget's `id`."
)


class BudgetView(ApiView):
    """What both addresses have in common: who changes anything is an administrator."""

    required_scope = {
        "POST": Permission.ADMIN,
        "PATCH": Permission.ADMIN,
        "DELETE": Permission.ADMIN,
    }


class BudgetCollection(BudgetView):
    """`/v1/budgets`"""

    @extend_schema(
        operation_id="create_budget",
        parameters=[IDEMPOTENCY_KEY],
        request=BudgetInput,
        responses={201: BudgetOutput} | WRITE_ERRORS,
    )
    def post(self, request: Request) -> Response:
        """Hold a session, an agent or a release to a budget from now on.

        A session that has used it up already is paused at once.
        """
        act = act_of(request)

        def perform() -> Body:
            said = _said(self.read(BudgetInput).validated_data)
            budget = guards.create_budget(act=act, said=said)
            return 201, json.dumps(budget_object(budget, act.now))

        return answered(request, scope=act.scope, perform=perform)

    @extend_schema(
        operation_id="list_budgets",
        parameters=[
            parameters.limit(20),
            parameters.text("starting_after", "The `last_id` of the page before."),
            parameters.text("session_id", "Those of one session."),
            parameters.text("agent_id", "Those of one agent and its releases."),
        ],
        responses={200: BudgetListOutput} | errors(400, 401, 403, 404, 429, 503),
    )
    def get(self, request: Request) -> Response:
        """List budgets, the newest first, each with what is used of it."""
        act = act_of(request)
        limit = paging.limit_of(request)
        after = paging.cursor_of(request, "budg")
        found = Budget.objects.visible_to(act.scope).order_by("-id")
        session_id = paging.text_of(request, "session_id")
        agent = paging.text_of(request, "agent_id")
        if session_id is not None:
            found = found.filter(session_id=session_id)
        if agent is not None:
            named = Agent.objects.visible_to(act.scope).named(agent)
            found = found.filter(agent_id__in=named.values("id"))
            if session_id is None:
                found = found.filter(session_id=None)
        if after is not None:
            found = found.filter(id__lt=after)
        shape = partial(budget_object, now=act.now)
        page = paging.page(list(found[: limit + 1]), limit, _id_of, shape)
        return Response(page)


class BudgetDetail(BudgetView):
    """`/v1/budgets/{budget_id}`"""

    @extend_schema(
        operation_id="read_budget",
        parameters=[BUDGET],
        responses={200: BudgetOutput} | errors(400, 401, 403, 404, 429, 503),
    )
    def get(self, request: Request, budget_id: str) -> Response:
        """Read a budget, with what is used of it."""
        act = act_of(request)
        budget = Budget.objects.visible_to(act.scope).one(budget_id)
        return Response(budget_object(budget, act.now))

    @extend_schema(
        operation_id="change_budget",
        parameters=[BUDGET, IDEMPOTENCY_KEY],
        request=BudgetChange,
        responses={200: BudgetOutput} | WRITE_ERRORS,
    )
    def patch(self, request: Request, budget_id: str) -> Response:
        """Set its limit or its terms; what it has paused is resumed as any other."""
        act = act_of(request)

        def perform() -> Body:
            given = self.read(BudgetChange).validated_data
            fields = {COLUMNS[name]: value for name, value in given.items()}
            for name in ("most", "on_reach"):
                if fields.get(name, "") is None:
                    del fields[name]
            if fields.get("on_reach", OnReach.ASK) != OnReach.ASK:
                fields.setdefault("more", None)
            budget = guards.change_budget(act=act, budget_id=budget_id, fields=fields)
            return 200, json.dumps(budget_object(budget, act.now))

        return answered(request, scope=act.scope, perform=perform)

    @extend_schema(
        operation_id="delete_budget",
        parameters=[BUDGET, IDEMPOTENCY_KEY],
        request=None,
        responses={200: BudgetOutput} | errors(400, 401, 403, 404, 422, 429, 503),
    )
    def delete(self, request: Request, budget_id: str) -> Response:
        """Remove a budget; what it has paused stays so until it is resumed."""
        act = act_of(request)

        def perform() -> Body:
            budget = guards.delete_budget(act=act, budget_id=budget_id)
            return 200, json.dumps(budget_object(budget, act.now))

        return answered(request, scope=act.scope, perform=perform)


COLUMNS = {
    "limit": "most",
    "ask_for": "more",
    "on_reach": "on_reach",
    "warn_percent": "warn_percent",
}


def _said(given: dict[str, Any]) -> NewBudget:
    sent = {name: value for name, value in given.items() if value is not None}
    said: dict[str, Any] = {
        name: sent[name]
        for name in ("session_id", "release", "currency", "warn_percent")
        if name in sent
    }
    for name, words in (("on_reach", OnReach), ("period", Period)):
        if name in sent:
            said[name] = words(sent[name])
    return NewBudget(
        measure=Measure(given["measure"]),
        most=given["limit"],
        agent=sent.get("agent_id"),
        more=sent.get("ask_for"),
        **said,
    )


def _id_of(budget: Any) -> str:
    return str(budget["id"] if isinstance(budget, dict) else budget.id)
