"""Plans over REST: make, read, confirm, undo, try again what has failed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

from django.http import HttpResponse, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.acts import Act
from apps.agents.api.answers import Body, act_of, answered
from apps.core import json, paging
from apps.core.errors import InvalidRequest
from apps.core.http import ApiView
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors
from apps.plans import operations as plans
from apps.plans.api.asked import params_of, targets_of
from apps.plans.api.serializers import (
    ChangeInput,
    ConfirmInput,
    ItemListOutput,
    PlanInput,
    PlanListOutput,
    PlanOutput,
)
from apps.plans.api.shapes import item_object, listed_plan, plan_object
from apps.plans.authority import seen_by
from apps.plans.exporting import download
from apps.plans.models import Item, ItemState, Plan
from apps.plans.operations import MOST, Changes, Consent, Picked
from apps.plans.querysets import PlanQuerySet
from apps.timeline.api import parameters
from apps.timeline.search import parse_query, search_sessions

ARCHIVE = "application/zip"
PLAN = OpenApiParameter(
    "plan_id", str, OpenApiParameter.PATH, description="The plan's `id`."
)

EXPORT = OpenApiParameter(
    "export_id", str, OpenApiParameter.PATH, description="The `id` of a plan to export."
)


class PlanView(ApiView):
    """What the views of plans have in common."""

    def seen(self, request: Request) -> PlanQuerySet:
        """The plans that the caller sees; a limited key those that it made."""
        act = act_of(request)
        return Plan.objects.visible_to(act.actor, act.scope)

    def perform(
        self, request: Request, verb: Callable[..., Plan], *, status: int = 200
    ) -> Response:
        """Answer the plan that a verb returns, done once for one idempotency key."""
        act = act_of(request)

        def perform() -> Body:
            return status, json.dumps(plan_object(verb(act=act)))

        return answered(request, scope=act.scope, perform=perform)


class PlanCollection(PlanView):
    """`/v1/plans`"""

    @extend_schema(
        operation_id="make_plan",
        parameters=[IDEMPOTENCY_KEY],
        request=PlanInput,
        responses={201: PlanOutput} | errors(400, 401, 403, 413, 422, 429, 503),
    )
    def post(self, request: Request) -> Response:
        """Freeze a list of sessions and say what would be done to each; do nothing.

        `sessions` names them, or `q` finds the first 500. What is left out, and why,
        stands with each item. A rollback of many is looked at by the worker: `status`
        is `looking` until that is over.
        """
        said = self.read(PlanInput).validated_data

        def verb(act: Act) -> Plan:
            return plans.make(
                act=act,
                kind=said["kind"],
                picked=_picked(act, said),
                params=params_of(said),
            )

        return self.perform(request, verb, status=201)

    @extend_schema(
        operation_id="list_plans",
        parameters=[
            parameters.limit(20),
            parameters.text("starting_after", "The `last_id` of the page before."),
        ],
        responses={200: PlanListOutput} | errors(400, 401, 403),
    )
    def get(self, request: Request) -> Response:
        """List plans without their sessions, the newest first."""
        limit = paging.limit_of(request)
        after = paging.cursor_of(request, "plan")
        rows = self.seen(request).older_than(after).newest_counted(limit + 1)
        return Response(paging.page(rows, limit, lambda one: str(one.id), listed_plan))


class PlanDetail(PlanView):
    """`/v1/plans/{plan_id}`"""

    @extend_schema(
        operation_id="get_plan",
        parameters=[PLAN],
        responses={200: PlanOutput} | errors(401, 403, 404),
    )
    def get(self, request: Request, plan_id: str) -> Response:
        """Return a plan: what will be done, how far it is, what came of each."""
        return Response(plan_object(self.seen(request).one(plan_id)))

    @extend_schema(
        operation_id="change_plan",
        parameters=[PLAN, IDEMPOTENCY_KEY],
        request=ChangeInput,
        responses={200: PlanOutput} | errors(400, 401, 403, 404, 409, 413, 422),
    )
    def patch(self, request: Request, plan_id: str) -> Response:
        """Pause, go on with or stop a plan, pace it, or pick sessions of a draft."""
        changes = Changes(**self.read(ChangeInput).validated_data)
        verb = partial(plans.change, plan_id=plan_id, changes=changes)
        return self.perform(request, verb)


class PlanItems(PlanView):
    """`/v1/plans/{plan_id}/items`"""

    @extend_schema(
        operation_id="list_plan_items",
        parameters=[
            PLAN,
            parameters.limit(100),
            parameters.text("starting_after", "The `last_id` of the page before."),
            OpenApiParameter(
                "state", str, enum=ItemState.values, description="How far they are."
            ),
        ],
        responses={200: ItemListOutput} | errors(400, 401, 403, 404),
    )
    def get(self, request: Request, plan_id: str) -> Response:
        """List the sessions of a plan, in the order of its list."""
        limit = paging.limit_of(request, default=100)
        plan = self.seen(request).one(plan_id)
        found = Item.objects.of_plan(plan.id)
        state = paging.text_of(request, "state")
        if state not in (None, *ItemState.values):
            raise InvalidRequest(
                f"state takes {', '.join(ItemState.values)}.", param="state"
            )
        found = found if state is None else found.in_state(state)
        after = paging.cursor_of(request, "sess")
        if after is not None:
            found = found.behind(plan.id, after)
        rows = list(found.in_order()[: limit + 1])
        return Response(
            paging.page(rows, limit, lambda one: str(one.session_id), item_object)
        )


class PlanLook(PlanView):
    """`/v1/plans/{plan_id}/look`"""

    @extend_schema(
        operation_id="look_at_plan",
        parameters=[PLAN, IDEMPOTENCY_KEY],
        request=None,
        responses={200: PlanOutput} | errors(400, 401, 403, 404, 409, 422),
    )
    def post(self, request: Request, plan_id: str) -> Response:
        """Have every session of a draft looked at once more. Takes no body."""
        return self.perform(request, partial(plans.look_again, plan_id=plan_id))


class PlanConfirmation(PlanView):
    """`/v1/plans/{plan_id}/confirm`"""

    @extend_schema(
        operation_id="confirm_plan",
        parameters=[PLAN, IDEMPOTENCY_KEY],
        request=ConfirmInput,
        responses={200: PlanOutput} | errors(400, 401, 403, 404, 409, 413, 422),
    )
    def post(self, request: Request, plan_id: str) -> Response:
        """Have the worker do it, as acts of this key; read the plan to follow it."""
        said = self.read(ConfirmInput).validated_data
        consent = Consent(
            reason=said.get("reason") or "",
            digest=said.get("digest"),
            crosses=bool(said.get("crosses")),
            pace=said.get("pace"),
        )
        verb = partial(plans.confirm, plan_id=plan_id, consent=consent)
        return self.perform(request, verb)


class PlanArchive(PlanView):
    """`/v1/plans/{export_id}/archive`"""

    sends_files = True

    @extend_schema(
        operation_id="get_plan_archive",
        parameters=[EXPORT],
        responses={(200, ARCHIVE): OpenApiTypes.BINARY}
        | errors(400, 401, 403, 404, 409, 503),
    )
    def get(self, request: Request, export_id: str) -> HttpResponse:
        """Download what an export has: a zip with a file for each session.

        A file is a line for each version and turn (`stepback-trajectory/1`);
        `sessions.jsonl` says what is there and what is not.
        """
        plan = self.seen(request).one(export_id)
        sent: Any = StreamingHttpResponse(
            download(plan, seen_by(act_of(request))),
            content_type=ARCHIVE,
            headers={"Content-Disposition": f'attachment; filename="{plan.id}.zip"'},
        )
        return cast(HttpResponse, sent)


class PlanRetry(PlanView):
    """`/v1/plans/{plan_id}/retry`"""

    @extend_schema(
        operation_id="retry_plan",
        parameters=[PLAN, IDEMPOTENCY_KEY],
        request=None,
        responses={200: PlanOutput} | errors(400, 401, 403, 404, 409, 422),
    )
    def post(self, request: Request, plan_id: str) -> Response:
        """Have the worker try again what has failed. Takes no body."""
        return self.perform(request, partial(plans.retry, plan_id=plan_id))


class PlanUndo(PlanView):
    """`/v1/plans/{plan_id}/undo`"""

    @extend_schema(
        operation_id="undo_plan",
        parameters=[PLAN, IDEMPOTENCY_KEY],
        request=None,
        responses={201: PlanOutput} | errors(400, 401, 403, 404, 409, 422),
    )
    def post(self, request: Request, plan_id: str) -> Response:
        """Make the plan that takes it back, to be confirmed like any. Takes no body.

        It touches only what still stands as this plan has left it.
        """
        verb = partial(plans.undo, plan_id=plan_id)
        return self.perform(request, verb, status=201)


def _picked(act: Act, said: dict[str, Any]) -> Picked:
    """Raises: InvalidRequest unless either sessions or a search is given."""
    named, text = said.get("sessions"), said.get("q")
    if (named is None) == (text is None):
        raise InvalidRequest("Give either sessions or q.", param="sessions")
    if text is None:
        return Picked(session_ids=named or [], targets=targets_of(said))
    if targets_of(said):
        raise InvalidRequest("versions names sessions, q finds others.", param="q")
    query = parse_query(text, now=act.now)
    found = search_sessions(act.scope, query, now=act.now, after=None, limit=MOST)
    return Picked(
        session_ids=[one.session.id for one in found.results],
        query=text,
        has_more=found.next is not None or found.misses,
    )
