"""The sessions of an incident over REST: list, add, take out."""

from __future__ import annotations

from functools import partial
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.acts import Act
from apps.core import paging
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors
from apps.incidents import operations as incidents
from apps.incidents.api import shapes
from apps.incidents.api.base import (
    AFTER,
    INCIDENT,
    WRITE_ERRORS,
    IncidentView,
)
from apps.incidents.api.serializers import AddInput, IncidentOutput, MemberListOutput
from apps.incidents.listing import members_seen, rows_of
from apps.timeline.api import parameters

SESSION = OpenApiParameter(
    "session_id", str, OpenApiParameter.PATH, description="The session's `id`."
)


class IncidentMembers(IncidentView):
    """`/v1/incidents/{incident_id}/members`"""

    @extend_schema(
        operation_id="list_incident_members",
        parameters=[INCIDENT, parameters.limit(20), AFTER],
        responses={200: MemberListOutput} | errors(400, 401, 403, 404),
    )
    def get(self, request: Request, incident_id: str) -> Response:
        """List the sessions of an incident, also those that were taken out."""
        act, incident = self.seen(request, incident_id)
        limit = paging.limit_of(request)
        after = paging.cursor_of(request, "sess")
        found = members_seen(incident, act.scope).newest_first(after_id=after)
        rows = rows_of(act, list(found[: limit + 1]))
        return Response(
            paging.page(
                rows,
                limit,
                lambda one: str(one.member.session_id),
                partial(shapes.member_object, act=act),
            )
        )

    @extend_schema(
        operation_id="add_incident_members",
        parameters=[INCIDENT, IDEMPOTENCY_KEY],
        request=AddInput,
        responses={200: IncidentOutput} | WRITE_ERRORS,
    )
    def post(self, request: Request, incident_id: str) -> Response:
        """Add sessions to an incident as they are now; those taken out come back."""
        ids = self.read(AddInput).validated_data["sessions"]

        def verb(act: Act) -> dict[str, Any]:
            added = incidents.add(act=act, incident_id=incident_id, session_ids=ids)
            return shapes.incident_object(added, act)

        return self.perform(request, verb)


class IncidentMember(IncidentView):
    """`/v1/incidents/{incident_id}/members/{session_id}`"""

    @extend_schema(
        operation_id="remove_incident_member",
        parameters=[INCIDENT, SESSION, IDEMPOTENCY_KEY],
        request=None,
        responses={204: None} | WRITE_ERRORS,
    )
    def delete(self, request: Request, incident_id: str, session_id: str) -> Response:
        """Take a session out of an incident; that it was in it stays said."""

        def verb(act: Act) -> None:
            incidents.remove(act=act, incident_id=incident_id, session_id=session_id)

        return self.perform(request, verb, status=204)
