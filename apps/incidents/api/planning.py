"""Plans over the sessions of an incident, over REST."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.acts import Act
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY
from apps.incidents import operations as incidents
from apps.incidents.api.base import INCIDENT, WRITE_ERRORS, IncidentView
from apps.plans.api.asked import params_of, targets_of
from apps.plans.api.serializers import ActInput, PlanOutput, TargetInput
from apps.plans.api.shapes import plan_object


@extend_schema_serializer(component_name="PlanForIncident")
class PlanInput(ActInput):
    """What is to be done to the sessions of an incident."""

    target = TargetInput(
        required=False,
        allow_null=True,
        help_text="For the kind rollback; if unset, before the first bad version that "
        "the incident's check has found.",
    )


class IncidentPlans(IncidentView):
    """`/v1/incidents/{incident_id}/plans`"""

    @extend_schema(
        operation_id="plan_for_incident",
        parameters=[INCIDENT, IDEMPOTENCY_KEY],
        request=PlanInput,
        responses={201: PlanOutput} | WRITE_ERRORS,
    )
    def post(self, request: Request, incident_id: str) -> Response:
        """Plan an act on all sessions that are in an incident; nothing is done yet."""
        said = self.read(PlanInput).validated_data

        def verb(act: Act) -> dict[str, Any]:
            made = incidents.plan(
                act=act,
                incident_id=incident_id,
                kind=said["kind"],
                params=params_of(said),
                targets=targets_of(said),
            )
            return plan_object(made)

        return self.perform(request, verb, status=201)
