"""Legal holds over REST: set, list, end."""

from functools import partial

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.acts import Act
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors
from apps.retention import operations as retention
from apps.retention.api.base import AFTER, LIMIT, RetentionView, named
from apps.retention.api.inputs import EndInput, HoldInput
from apps.retention.api.outputs import HoldListOutput, HoldOutput
from apps.retention.models import LegalHold
from apps.retention.shapes import hold_object

HOLD = named("hold_id", "legal hold")


class HoldCollection(RetentionView):
    """`/v1/retention/legal-holds`"""

    @extend_schema(
        operation_id="set_legal_hold",
        parameters=[IDEMPOTENCY_KEY],
        request=HoldInput,
        responses={201: HoldOutput} | errors(400, 401, 403, 404, 413, 422, 429, 503),
    )
    def post(self, request: Request) -> Response:
        """Keep a session, a person's, an agent's or all from being removed.

        From this answer on nothing of it goes, until the hold is ended or its time is
        over.
        """
        said = self.read(HoldInput).said()

        def verb(act: Act) -> LegalHold:
            return retention.set_legal_hold(act=act, **said)

        shape = partial(hold_object, now=timezone.now())
        return self.answer(request, verb, shape, status=201)

    @extend_schema(
        operation_id="list_legal_holds",
        parameters=[LIMIT, AFTER],
        responses={200: HoldListOutput} | errors(400, 401, 403, 429, 503),
    )
    def get(self, request: Request) -> Response:
        """List legal holds, the newest first, those that are over too."""
        found = LegalHold.objects.of_project(self.project_id)
        shape = partial(hold_object, now=timezone.now())
        return self.page(request, found, shape, "hold")


class HoldEnding(RetentionView):
    """`/v1/retention/legal-holds/{hold_id}/end`"""

    @extend_schema(
        operation_id="end_legal_hold",
        parameters=[HOLD, IDEMPOTENCY_KEY],
        request=EndInput,
        responses={200: HoldOutput}
        | errors(400, 401, 403, 404, 409, 413, 422, 429, 503),
    )
    def post(self, request: Request, hold_id: str) -> Response:
        """End a legal hold: what it named may go again by the policies."""
        reason = self.read(EndInput).validated_data["reason"]

        def verb(act: Act) -> LegalHold:
            return retention.end_legal_hold(act=act, hold_id=hold_id, reason=reason)

        return self.answer(request, verb, partial(hold_object, now=timezone.now()))
