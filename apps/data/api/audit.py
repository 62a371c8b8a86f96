"""An agent's audit over REST: query, read, verify, export.

Paths and shapes are those of Anchor's clients.
"""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.access import Permission
from apps.agents.api.answers import Body, act_of, answered
from apps.agents.api.base import AnchorView, scope_of
from apps.agents.models import Agent
from apps.core import json, paging
from apps.core.errors import InvalidRequest
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors
from apps.data import operations as data
from apps.data.api.audit_inputs import (
    moment_given,
    moment_of,
    operations_of,
    start_given,
    start_of,
)
from apps.data.api.audit_outputs import (
    END,
    START,
    AuditEventAnswer,
    AuditListOutput,
    ExportInput,
    ExportOutput,
    VerificationOutput,
    VerifyInput,
)
from apps.data.audit import trail
from apps.data.audit.shapes import event_object, export_object, verification_object
from apps.data.audit.verifying import verify
from apps.data.models import ExportFormat

LIMIT = 100
MAXIMUM_LIMIT = 1000
# Rows before the offset are read and thrown away: deeper pages go by cursor.
MAXIMUM_OFFSET = 10_000
AGENT = OpenApiParameter(
    "agent",
    str,
    OpenApiParameter.PATH,
    description="The agent's id, or the name that your code gives it.",
)
AUDIT_ID = OpenApiParameter(
    "audit_id", str, OpenApiParameter.PATH, description="The event's `id`."
)
STARTS = [
    OpenApiParameter("start", str, description=START),
    OpenApiParameter("start_time", str, description="Another name for `start`."),
]


class AuditView(AnchorView):
    """What the views of an agent's audit have in common."""

    def seen(self, request: Request, agent: str) -> Agent:
        """Return the agent that the caller means.

        Raises: AgentNotFound.
        """
        return Agent.objects.visible_to(scope_of(request)).one_named(agent)


class AuditCollection(AuditView):
    """`/v1/agents/{agent}/audit`"""

    @extend_schema(
        operation_id="query_audit",
        parameters=[
            AGENT,
            OpenApiParameter(
                "operations", str, description="Names, separated by commas: any of."
            ),
            OpenApiParameter("start", str, description="A time (ISO 8601): from it."),
            OpenApiParameter("start_time", str, description="Another name for it."),
            OpenApiParameter("end", str, description=END),
            OpenApiParameter("end_time", str, description="Another name for it."),
            OpenApiParameter("limit", int, description=f"1 to {MAXIMUM_LIMIT}."),
            OpenApiParameter(
                "starting_after", str, description="The `last_id` of the page before."
            ),
            OpenApiParameter(
                "offset",
                int,
                description=f"0 to {MAXIMUM_OFFSET}; `starting_after` has no limit.",
            ),
        ],
        responses={200: AuditListOutput} | errors(400, 401, 403, 404),
    )
    def get(self, request: Request, agent: str) -> Response:
        """List what was done with an agent, the newest first, `limit` (100) a page."""
        limit = paging.limit_of(request, LIMIT, MAXIMUM_LIMIT)
        offset = paging.integer_of(request, "offset", minimum=0, maximum=MAXIMUM_OFFSET)
        wanted = trail.AuditFilter(
            operations=operations_of(request),
            start=moment_of(request, "start"),
            end=moment_of(request, "end"),
        )
        found = self.seen(request, agent)
        page = trail.find(
            found.id,
            wanted,
            before=_place(request, found),
            offset=offset or 0,
            limit=limit,
        )
        listed = paging.page(
            page.events,
            limit,
            lambda one: trail.audit_id(one.record.event_id),
            event_object,
        )
        return Response(
            listed
            | {
                "events": listed["data"],
                "total": page.total,
                "chain_start": page.chain_start and page.chain_start.hex(),
                "chain_end": page.chain_end and page.chain_end.hex(),
            }
        )


class AuditDetail(AuditView):
    """`/v1/agents/{agent}/audit/{audit_id}`"""

    @extend_schema(
        operation_id="get_audit_event",
        parameters=[AGENT, AUDIT_ID],
        responses={200: AuditEventAnswer} | errors(401, 403, 404),
    )
    def get(self, request: Request, agent: str, audit_id: str) -> Response:
        """Return one event."""
        found = event_object(trail.event(self.seen(request, agent).id, audit_id))
        return Response(found | {"event": found})


class AuditVerification(AuditView):
    """`/v1/agents/{agent}/audit/verify`"""

    required_scope = Permission.READ  # the POST only reads as well

    @extend_schema(
        operation_id="verify_audit",
        parameters=[AGENT, *STARTS],
        responses={200: VerificationOutput} | errors(400, 401, 403, 404),
    )
    def get(self, request: Request, agent: str) -> Response:
        """Recompute an agent's chain, up to 500,000 events; `next_start` goes on."""
        return self._verified(request, agent, start_of(request))

    @extend_schema(
        operation_id="verify_audit_from",
        parameters=[AGENT],
        request=VerifyInput,
        responses={200: VerificationOutput} | errors(400, 401, 403, 404, 413, 422),
    )
    def post(self, request: Request, agent: str) -> Response:
        """Recompute an agent's chain, as GET does."""
        said = self.read(VerifyInput).validated_data
        return self._verified(request, agent, start_given(said))

    def _verified(
        self, request: Request, agent: str, start: trail.Start | None
    ) -> Response:
        now = timezone.now()
        found = verify(self.seen(request, agent).id, start, now=now)
        return Response(verification_object(found, now=now))


class AuditExport(AuditView):
    """`/v1/agents/{agent}/audit/export`"""

    @extend_schema(
        operation_id="export_audit",
        parameters=[AGENT, IDEMPOTENCY_KEY],
        request=ExportInput,
        responses={201: ExportOutput} | errors(400, 401, 403, 404, 413, 422),
    )
    def post(self, request: Request, agent: str) -> Response:
        """Freeze up to 500,000 events and return the link of their file.

        The link opens for 15 minutes, without a key; each download is recorded.
        """
        wanted = _wanted(self.read(ExportInput).validated_data)
        act = act_of(request)

        def perform() -> Body:
            made = data.export_audit(act=act, reference=agent, wanted=wanted)
            token = data.link_token(export=made.export)
            url = request.build_absolute_uri(reverse("data:audit_file", args=[token]))
            return 201, json.dumps(export_object(made, url))

        return answered(request, scope=act.scope, perform=perform)


def _place(request: Request, agent: Agent) -> int | None:
    """Return the number below which a page begins.

    Raises: InvalidRequest for what is no event of the agent.
    """
    cursor = paging.text_of(request, "starting_after")
    if cursor is None:
        return None
    found = trail.named(agent.id, cursor)
    if found is None:
        raise InvalidRequest(
            "starting_after takes the last_id of a page.", param="starting_after"
        )
    return found.number


def _wanted(said: dict[str, Any]) -> data.ExportRequest:
    verified = said.get("include_verification")
    return data.ExportRequest(
        format=said.get("format") or ExportFormat.JSON.value,
        start=start_given(said),
        end=moment_given(said, "end"),
        is_verified=verified is None or verified,
    )
