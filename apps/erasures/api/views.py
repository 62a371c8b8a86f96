"""Erasures over REST: ask what would go, have it erased, read the certificate."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.acts import Act
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors
from apps.erasures import operations as erasures
from apps.erasures.api.inputs import EraseInput, PreviewInput
from apps.erasures.api.outputs import (
    ErasureListOutput,
    ErasureOutput,
    PreviewOutput,
)
from apps.erasures.models import Erasure, Preview
from apps.erasures.shapes import erasure_object, listed_erasure, preview_object
from apps.retention.api.base import AFTER, LIMIT, RetentionView, named

ERASURE = named("erasure_id", "erasure")


class ErasureView(RetentionView):
    """Whoever erases a person erases in all agents' sessions."""

    refusal = "Erasures are about all agents; this key speaks for some of them."


class PreviewCollection(ErasureView):
    """`/v1/erasures/previews`"""

    @extend_schema(
        operation_id="preview_erasure",
        parameters=[IDEMPOTENCY_KEY],
        request=PreviewInput,
        responses={201: PreviewOutput} | errors(400, 401, 403, 404, 413, 422, 429, 503),
    )
    def post(self, request: Request) -> Response:
        """Count what an erasure of a person, or of one session, would take."""
        said = self.read(PreviewInput).validated_data

        def verb(act: Act) -> Preview:
            return erasures.preview(
                act=act,
                user_id=said.get("user_id"),
                session_id=said.get("session_id"),
            )

        return self.answer(request, verb, preview_object, status=201)


class ErasureCollection(ErasureView):
    """`/v1/erasures`"""

    @extend_schema(
        operation_id="begin_erasure",
        parameters=[IDEMPOTENCY_KEY],
        request=EraseInput,
        responses={202: ErasureOutput}
        | errors(400, 401, 403, 404, 409, 413, 422, 429, 503),
    )
    def post(self, request: Request) -> Response:
        """Have erased what a preview showed; it cannot be undone.

        There is one erasure a preview: repeated, the first one is answered.
        """
        said = self.read(EraseInput).validated_data

        def verb(act: Act) -> Erasure:
            return erasures.begin(
                act=act, preview_id=said["preview_id"], reason=said["reason"]
            )

        return self.answer(request, verb, erasure_object, status=202)

    @extend_schema(
        operation_id="list_erasures",
        parameters=[LIMIT, AFTER],
        responses={200: ErasureListOutput} | errors(400, 401, 403, 429, 503),
    )
    def get(self, request: Request) -> Response:
        """List erasures, the newest first."""
        found = Erasure.objects.of_project(self.project_id)
        return self.page(request, found, listed_erasure, "eras")


class ErasureDetail(ErasureView):
    """`/v1/erasures/{erasure_id}`"""

    @extend_schema(
        operation_id="get_erasure",
        parameters=[ERASURE],
        responses={200: ErasureOutput} | errors(401, 403, 404, 429, 503),
    )
    def get(self, request: Request, erasure_id: str) -> Response:
        """Return how far an erasure is and, once it is done, its certificate."""
        mine = Erasure.objects.of_project(self.project_id)
        return Response(erasure_object(mine.one(erasure_id)))
