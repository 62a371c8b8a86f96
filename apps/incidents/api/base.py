"""What the views of incidents have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.acts import Act
from apps.agents.api.answers import act_of, answered
from apps.core import json
from apps.core.http import ApiView
from apps.core.http.openapi.schema import errors
from apps.incidents.models import Incident
from apps.incidents.seeing import incidents_seen
from apps.timeline.api import parameters

WRITE_ERRORS = errors(400, 401, 403, 404, 413, 422, 429, 503)
INCIDENT = OpenApiParameter(
    "incident_id", str, OpenApiParameter.PATH, description="The incident's `id`."
)
AFTER = parameters.text("starting_after", "The `last_id` of the page before.")


class IncidentView(ApiView):
    """What the views of incidents have in common."""

    def seen(self, request: Request, incident_id: str) -> tuple[Act, Incident]:
        """Return who asks and the incident, if they see it.

        Raises: IncidentNotFound.
        """
        act = act_of(request)
        return act, incidents_seen(act.scope).one(incident_id)

    def perform(
        self, request: Request, verb: Callable[[Act], Any], *, status: int = 200
    ) -> Response:
        """Answer what a verb returns, done once for one idempotency key."""
        act = act_of(request)

        def perform() -> tuple[int, bytes]:
            body = verb(act)
            return status, b"" if body is None else json.dumps(body)

        return answered(request, scope=act.scope, perform=perform)
