"""`/v1/shared/{name}/lease`: hold a document, keep holding it, give it back.

Each may be sent again: who holds the lease is handed out the same fence, and what was
given back stays so. So these take no idempotency key, which would answer a lease that
was lost meanwhile.
"""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core.http.openapi.schema import errors
from apps.core.time.moments import utc_text
from apps.timeline import operations as timeline
from apps.timeline.api.shared.base import NAME, SharedView
from apps.timeline.api.shared.inputs import ReleaseInput, RenewInput, TakeInput
from apps.timeline.api.shared.outputs import LeaseOutput
from apps.timeline.operations import Leasing

ERRORS = errors(400, 401, 403, 404, 409, 413, 415, 422, 429, 503)


class LeaseTaking(SharedView):
    """Take the lease."""

    @extend_schema(
        operation_id="take_lease",
        parameters=[NAME],
        request=TakeInput,
        responses={200: LeaseOutput, **ERRORS},
    )
    def post(self, request: Request, name: str) -> Response:
        """Hold the document: until then only writes with this fence are taken."""
        given = self.read(TakeInput).validated_data
        found = timeline.take_lease(
            act=self.act,
            name=self.name,
            holder=given["holder"],
            seconds=given["seconds"],
        )
        return Response(_shown(found))


class LeaseRenewal(SharedView):
    """Keep the lease."""

    @extend_schema(
        operation_id="renew_lease",
        parameters=[NAME],
        request=RenewInput,
        responses={200: LeaseOutput, **ERRORS},
    )
    def post(self, request: Request, name: str) -> Response:
        """Have the lease hold on; 409 `lease_lapsed` once its time is over."""
        given = self.read(RenewInput).validated_data
        found = timeline.keep_lease(
            act=self.act,
            name=self.name,
            fence=given["fence"],
            seconds=given["seconds"],
        )
        return Response(_shown(found))


class LeaseRelease(SharedView):
    """Give the lease back."""

    @extend_schema(
        operation_id="release_lease",
        parameters=[NAME],
        request=ReleaseInput,
        responses={200: LeaseOutput, **ERRORS},
    )
    def post(self, request: Request, name: str) -> Response:
        """Let others hold the document; once more changes nothing."""
        given = self.read(ReleaseInput).validated_data
        found = timeline.release_lease(
            act=self.act, name=self.name, fence=given["fence"]
        )
        return Response(_shown(found))


def _shown(lease: Leasing) -> dict[str, Any]:
    return {
        "object": "lease",
        "name": lease.name,
        "holder": lease.holder,
        "fence": lease.fence,
        "until": utc_text(lease.until),
        "seconds_left": lease.seconds_left,
    }
