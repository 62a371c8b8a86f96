"""Which versions turned a check: since when something is wrong."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.access import Permission
from apps.core.http.openapi.schema import errors
from apps.timeline.api import examples
from apps.timeline.api.base import TimelineView
from apps.timeline.api.checking.inputs import BisectInput
from apps.timeline.api.checking.outputs import Bisection
from apps.timeline.api.checking.shapes import bisect_object
from apps.timeline.bisect import find_flips


class BisectView(TimelineView):
    """Which versions turned a check."""

    required_scope = Permission.READ  # a POST, but it only reads

    @extend_schema(
        operation_id="bisect",
        request=BisectInput,
        examples=examples.BISECT,
        responses={
            200: Bisection,
            **errors(400, 401, 403, 404, 413, 415, 422, 429, 503),
        },
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Tell which versions turned a check true and false, and who wrote them.

        Only versions that touched a place of the check are looked into. Beyond 400
        states it looks into some, says `exact: false`, and goes on from `next` through
        all of them in order.
        """
        asked = self.read(BisectInput).asked
        return Response(
            bisect_object(find_flips(self.scope, session_id, asked, now=self.now))
        )
