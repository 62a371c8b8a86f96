"""Blobs over REST: ask which are missing, upload one."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.api.answers import act_of
from apps.blobs import operations as blobs
from apps.blobs.api.inputs import MissingInput
from apps.blobs.api.outputs import BlobOutput, MissingOutput
from apps.blobs.digests import require_digest
from apps.blobs.operations import Kept
from apps.core.http import ApiView
from apps.core.http.openapi.schema import errors
from apps.core.time.moments import utc_text


class MissingView(ApiView):
    """`/v1/blobs/missing`"""

    @extend_schema(
        operation_id="list_missing_blobs",
        request=MissingInput,
        responses={
            200: MissingOutput,
            **errors(400, 401, 403, 413, 415, 422, 429, 503),
        },
    )
    def post(self, request: Request) -> Response:
        """Say which of these blobs are to be uploaded before a version names them.

        What was interrupted goes on by asking again.
        """
        digests = self.read(MissingInput).validated_data["digests"]
        found = blobs.missing(act=act_of(request), digests=digests)
        return Response({"object": "missing_blobs", "missing": found})


class BlobView(ApiView):
    """`/v1/blobs/{sha256}`"""

    def refuse_unknown(self, request: Request, body: bytes) -> None:
        """Refuse parameters that are not taken; the body is bytes, and has no fields.

        Raises: UnknownParameter.
        """
        super().refuse_unknown(request, b"")

    @extend_schema(
        operation_id="upload_blob",
        parameters=[
            OpenApiParameter(
                "sha256",
                str,
                OpenApiParameter.PATH,
                description="The SHA-256 of the bytes, in hex.",
            )
        ],
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses={
            200: BlobOutput,
            201: BlobOutput,
            **errors(400, 401, 403, 413, 415, 422, 429, 503, 507),
        },
    )
    def put(self, request: Request, sha256: str) -> Response:
        """Keep bytes under their SHA-256, for a day without a version that names them.

        At most 8 MiB. Sending them again keeps them on, and changes nothing.
        """
        digest = require_digest(sha256, "sha256")
        data = request._request.body
        kept = blobs.keep(act=act_of(request), digest=digest, data=data)
        return Response(_shown(kept), status=201 if kept.is_new else 200)


def _shown(kept: Kept) -> dict[str, Any]:
    return {
        "object": "blob",
        "sha256": kept.digest,
        "size": kept.size,
        "kept_until": utc_text(kept.leased_until),
    }
