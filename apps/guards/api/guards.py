"""Guards over REST: a key reads them, administrators' keys make and change them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.access import Permission
from apps.agents.acts import Act
from apps.agents.api.answers import Body, act_of, answered
from apps.agents.models import Agent
from apps.core import json, paging
from apps.core.http import ApiView
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors
from apps.guards import operations as guards
from apps.guards.api.guard_serializers import (
    GuardChange,
    GuardInput,
    GuardListOutput,
    GuardOutput,
    TrialInput,
    TrialOutput,
)
from apps.guards.api.guard_shapes import (
    guard_object,
    trial_object,
    trials_of,
)
from apps.guards.listing import refused_lately
from apps.guards.models import Guard, Trial
from apps.guards.operations import Change, NewGuard
from apps.guards.words import Kind, Mode
from apps.timeline.api import parameters

READ_ERRORS = errors(400, 401, 403, 404, 429, 503)
WRITE_ERRORS = errors(400, 401, 403, 404, 409, 413, 415, 422, 429, 503)
GUARD = OpenApiParameter(
    "guard_id", str, OpenApiParameter.PATH, description="The guard's `id`."
)
TRIAL = OpenApiParameter(
    "trial_id", str, OpenApiParameter.PATH, description="The trial's `id`."
)


class GuardView(ApiView):
    """What the addresses have in common: who changes anything is an administrator."""

    required_scope = {
        "POST": Permission.ADMIN,
        "PATCH": Permission.ADMIN,
        "DELETE": Permission.ADMIN,
    }


class GuardCollection(GuardView):
    """`/v1/guards`"""

    @extend_schema(
        operation_id="create_guard",
        parameters=[IDEMPOTENCY_KEY],
        request=GuardInput,
        responses={201: GuardOutput} | WRITE_ERRORS,
    )
    def post(self, request: Request) -> Response:
        """Have an agent's writes looked at from now on; at first it only observes."""
        act = act_of(request)

        def perform() -> Body:
            given = self.read(GuardInput).validated_data
            said = NewGuard(
                agent=given["agent_id"],
                name=given["name"],
                kind=Kind(given["kind"]),
                rule=given.get("rule") or {},
            )
            guard = guards.create_guard(act=act, said=said)
            return 201, json.dumps(guard_object(guard))

        return answered(request, scope=act.scope, perform=perform)

    @extend_schema(
        operation_id="list_guards",
        parameters=[
            parameters.limit(20),
            parameters.text("starting_after", "The `last_id` of the page before."),
            parameters.text("agent_id", "Those of one agent."),
        ],
        responses={200: GuardListOutput} | READ_ERRORS,
    )
    def get(self, request: Request) -> Response:
        """List guards, the newest first; those that were withdrawn are left out."""
        act = act_of(request)
        limit = paging.limit_of(request)
        after = paging.cursor_of(request, "guar")
        found = Guard.objects.visible_to(act.scope).filter(withdrawn_at=None)
        found = found.order_by("-id")
        agent = paging.text_of(request, "agent_id")
        if agent is not None:
            named = Agent.objects.visible_to(act.scope).named(agent)
            found = found.filter(agent_id__in=named.values("id"))
        if after is not None:
            found = found.filter(id__lt=after)
        rows = list(found[: limit + 1])
        trials = trials_of(rows)
        refused = refused_lately([one.id for one in rows], act.now)
        return Response(
            paging.page(
                rows, limit, _id_of, lambda one: guard_object(one, trials, refused)
            )
        )


class GuardDetail(GuardView):
    """`/v1/guards/{guard_id}`"""

    @extend_schema(
        operation_id="read_guard",
        parameters=[GUARD],
        responses={200: GuardOutput} | READ_ERRORS,
    )
    def get(self, request: Request, guard_id: str) -> Response:
        """Read a guard, with the newest trial of its revision; withdrawn ones too."""
        act = act_of(request)
        guard = Guard.objects.visible_to(act.scope).one(guard_id)
        return Response(_told(guard, act))

    @extend_schema(
        operation_id="change_guard",
        parameters=[GUARD, IDEMPOTENCY_KEY],
        request=GuardChange,
        responses={200: GuardOutput} | WRITE_ERRORS,
    )
    def patch(self, request: Request, guard_id: str) -> Response:
        """Give it another name, rule or mode.

        Another rule is a new revision, which observes until it was tried.
        """
        act = act_of(request)

        def perform() -> Body:
            given = self.read(GuardChange).validated_data
            mode = given.get("mode")
            change = Change(
                name=given.get("name"),
                rule=given.get("rule"),
                mode=None if mode is None else Mode(mode),
            )
            guard = guards.change_guard(act=act, guard_id=guard_id, change=change)
            return 200, json.dumps(_told(guard, act))

        return answered(request, scope=act.scope, perform=perform)

    @extend_schema(
        operation_id="withdraw_guard",
        parameters=[GUARD, IDEMPOTENCY_KEY],
        request=None,
        responses={200: GuardOutput} | errors(400, 401, 403, 404, 422, 429, 503),
    )
    def delete(self, request: Request, guard_id: str) -> Response:
        """Look for it no more; its verdicts stay, and so does what it holds."""
        act = act_of(request)

        def perform() -> Body:
            guard = guards.withdraw_guard(act=act, guard_id=guard_id)
            return 200, json.dumps(_told(guard, act))

        return answered(request, scope=act.scope, perform=perform)


class TrialCollection(GuardView):
    """`/v1/guards/{guard_id}/try`"""

    @extend_schema(
        operation_id="try_guard",
        parameters=[GUARD, IDEMPOTENCY_KEY],
        request=TrialInput,
        responses={202: TrialOutput} | WRITE_ERRORS,
    )
    def post(self, request: Request, guard_id: str) -> Response:
        """Hold its rule against what was written in the last days.

        The worker does it; nothing is written to any session.
        """
        act = act_of(request)

        def perform() -> Body:
            given = self.read(TrialInput).validated_data
            days = given.get("days")
            said = {} if days is None else {"days": days}
            trial = guards.try_guard(act=act, guard_id=guard_id, **said)
            return 202, json.dumps(trial_object(trial))

        return answered(request, scope=act.scope, perform=perform)


class TrialDetail(GuardView):
    """`/v1/guards/{guard_id}/try/{trial_id}`"""

    @extend_schema(
        operation_id="read_guard_trial",
        parameters=[GUARD, TRIAL],
        responses={200: TrialOutput} | READ_ERRORS,
    )
    def get(self, request: Request, guard_id: str, trial_id: str) -> Response:
        """Read how far a trial is, and what it has found until now."""
        guard = Guard.objects.visible_to(act_of(request).scope).one(guard_id)
        return Response(trial_object(Trial.objects.one(guard.id, trial_id)))


def _told(guard: Guard, act: Act) -> dict[str, Any]:
    refused = refused_lately([guard.id], act.now)
    return guard_object(guard, trials_of([guard]), refused)


def _id_of(one: Any) -> str:
    return str(one["id"] if isinstance(one, dict) else one.id)
