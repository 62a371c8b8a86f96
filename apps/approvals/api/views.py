"""Approvals over REST: ask, list, wait for the outcome. No key decides."""

from __future__ import annotations

import time
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.acts import Act
from apps.agents.api.answers import Body, act_of, answered
from apps.agents.scope import Scope
from apps.approvals import operations as approvals
from apps.approvals import queries
from apps.approvals.api.inputs import AskInput
from apps.approvals.api.outputs import ApprovalListOutput, ApprovalOutput
from apps.approvals.authority import require_person
from apps.approvals.errors import UnacceptableApproval
from apps.approvals.outcomes import approval_object
from apps.approvals.queries import Filter, Listed
from apps.approvals.requests.looking import look_at, votes_of
from apps.approvals.standing import standing
from apps.approvals.words import Class, Status
from apps.core import json, paging
from apps.core.errors import InvalidRequest
from apps.core.http import ApiView
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors
from apps.core.http.waiting import CROWD, LONGEST_SECONDS, wait_for
from apps.timeline.api import parameters
from apps.timeline.versions import head_of, newest_number

DECIDED = "decided"
LISTED = (Status.PENDING, Status.APPROVED, Status.REJECTED, Status.EXPIRED)
STATUSES = [*(one.value for one in LISTED), DECIDED]
APPROVAL = OpenApiParameter(
    "approval_id", str, OpenApiParameter.PATH, description="The approval's `id`."
)


class ApprovalView(ApiView):
    """What the views of approvals have in common."""

    def look(self, scope: Scope, approval_id: str) -> Listed:
        """Return an approval that the caller sees, as it stands now.

        Raises: ApprovalNotFound, SessionNotFound.
        """
        now = timezone.now()
        approval = look_at(scope, approval_id)
        head = head_of(scope, approval.session_id, now=now)
        votes = votes_of(approval)
        return Listed(
            approval=approval, standing=standing(approval, votes, head=head, now=now)
        )


class SessionApprovals(ApprovalView):
    """`/v1/sessions/{session_id}/approvals`"""

    @extend_schema(
        operation_id="request_approval",
        parameters=[IDEMPOTENCY_KEY],
        request=AskInput,
        responses={201: ApprovalOutput}
        | errors(400, 401, 403, 404, 409, 413, 415, 422, 423, 429, 503),
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Ask people to allow something, and go on with other things meanwhile.

        It is a version `wait`, which shows the head's state. What it waits for is
        answered by `GET /v1/approvals/{approval_id}`.
        """
        act = act_of(request)

        def perform() -> Body:
            asked = self.read(AskInput).asked()
            approval = approvals.ask(act=act, session_id=session_id, asked=asked)
            found = self.look(act.scope, approval.id)
            return 201, json.dumps(approval_object(found.approval, found.standing))

        return answered(request, scope=act.scope, perform=perform)


class ApprovalCollection(ApprovalView):
    """`/v1/approvals`"""

    @extend_schema(
        operation_id="list_approvals",
        parameters=[
            OpenApiParameter(
                "status",
                str,
                enum=STATUSES,
                description="pending: the oldest deadline first; decided, or one "
                "outcome: the newest decision first. All, newest first, if not given.",
            ),
            parameters.text("agent_id", "Your name of the agent."),
            OpenApiParameter(
                "class",
                str,
                enum=Class.values,
                description="What becomes of it once it is done.",
            ),
            parameters.time("asked_after", "Asked from this moment on."),
            parameters.time("asked_before", "Asked before this moment."),
            parameters.limit(20),
            parameters.text("starting_after", "The `last_id` of the page before."),
        ],
        responses={200: ApprovalListOutput} | errors(400, 401, 403, 404, 429, 503),
    )
    def get(self, request: Request) -> Response:
        """List what people are asked to allow, and what they have decided."""
        act, limit = act_of(request), paging.limit_of(request)
        found = _found(request, act, limit)
        return Response(
            paging.page(found, limit, lambda one: str(one.approval.id), _shown)
        )


class ApprovalDetail(ApprovalView):
    """`/v1/approvals/{approval_id}`"""

    @extend_schema(
        operation_id="get_approval",
        parameters=[
            APPROVAL,
            OpenApiParameter(
                "wait",
                {"type": "integer", "minimum": 0, "maximum": LONGEST_SECONDS},
                description="Seconds to wait for the outcome. Where too many wait "
                "already it is answered at once, with Retry-After.",
            ),
        ],
        responses={200: ApprovalOutput} | errors(400, 401, 403, 404, 422, 429, 503),
    )
    def get(self, request: Request, approval_id: str) -> Response:
        """Return an approval; with `wait`, once it is decided or that time is over."""
        scope = act_of(request).scope
        found, had_place = wait_for(
            lambda: self.look(scope, approval_id),
            is_over=lambda one: not one.standing.is_pending,
            sign=lambda one: newest_number(one.approval.session_id),
            seconds=_seconds(request),
        )
        headers = {}
        if not had_place:
            headers["Retry-After"] = str(CROWD.retry_after(time.monotonic()))
        return Response(_shown(found), headers=headers)


class ApprovalVotes(ApprovalView):
    """`/v1/approvals/{approval_id}/votes`: where a key learns that it does not vote."""

    def http_method_not_allowed(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Raises: PermissionDenied, since only people vote; ApprovalNotFound."""
        act = act_of(request)
        self.look(act.scope, kwargs["approval_id"])
        if request.method == "POST":
            require_person(act.actor)
        return super().http_method_not_allowed(request, *args, **kwargs)


def _shown(one: Listed) -> dict[str, Any]:
    return approval_object(one.approval, one.standing)


def _found(request: Request, act: Act, limit: int) -> list[Listed]:
    """Raises: InvalidRequest, ApprovalNotFound."""
    status = paging.text_of(request, "status")
    if status is not None and status not in STATUSES:
        raise InvalidRequest(f"status takes {', '.join(STATUSES)}.", param="status")
    effect_class = paging.text_of(request, "class")
    if effect_class is not None and effect_class not in Class.values:
        named = ", ".join(Class.values)
        raise InvalidRequest(f"class takes {named}.", param="class")
    by = Filter(
        effect_class=None if effect_class is None else Class(effect_class),
        agent=paging.text_of(request, "agent_id"),
        since=paging.moment_of(request, "asked_after"),
        until=paging.moment_of(request, "asked_before"),
    )
    page: dict[str, Any] = {
        "after": paging.cursor_of(request, "appr"),
        "limit": limit,
        "now": act.now,
    }
    if status is None:
        return queries.list_all(act.scope, by, **page)
    if status == Status.PENDING:
        return queries.list_pending(act.scope, by, **page)
    outcome = None if status == DECIDED else Status(status)
    return queries.list_decided(act.scope, by, outcome=outcome, **page)


def _seconds(request: Request) -> int:
    """Raises: UnacceptableApproval."""
    try:
        found = paging.integer_of(request, "wait", minimum=0, maximum=LONGEST_SECONDS)
    except InvalidRequest as refused:
        raise UnacceptableApproval(refused.message, param="wait") from None
    return found or 0
