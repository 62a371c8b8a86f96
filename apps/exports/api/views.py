"""Exports over REST: ask for one, follow it, download its file."""

from __future__ import annotations

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.acts import Act
from apps.core.http.openapi.schema import IDEMPOTENCY_KEY, errors
from apps.exports import operations as exports
from apps.exports.api.downloads import file_response
from apps.exports.api.inputs import ExportInput
from apps.exports.api.outputs import ExportListOutput, ExportOutput
from apps.exports.kinds import FORMATS
from apps.exports.models import Export
from apps.exports.shapes import export_object
from apps.exports.words import Kind
from apps.retention.api.base import AFTER, LIMIT, RetentionView, named

RANGE = OpenApiParameter(
    "Range",
    str,
    OpenApiParameter.HEADER,
    description="One range of bytes, such as bytes=0-1023.",
)
EXPORT = named("history_export_id", "export")


class ExportView(RetentionView):
    """Whoever exports takes out what all agents have."""

    refusal = "Exports are about all agents; this key speaks for some of them."

    def one(self, export_id: str) -> Export:
        """Raises: ExportNotFound."""
        return Export.objects.of_project(self.project_id).one(export_id)


class ExportCollection(ExportView):
    """`/v1/exports`"""

    @extend_schema(
        operation_id="ask_export",
        parameters=[IDEMPOTENCY_KEY],
        request=ExportInput,
        responses={202: ExportOutput} | errors(400, 401, 403, 404, 413, 422, 429, 503),
    )
    def post(self, request: Request) -> Response:
        """Have a file made; read the export to follow it.

        `trajectories`: what sessions said, a line each in OpenAI's chat form. `audit`:
        records, in the audit's own shape. `session`: one session whole, as a zip file.
        `person`: all that is kept of somebody, as a zip file. Mail addresses, card and
        account numbers are masked unless `unmasked`.
        """
        asked = dict(self.read(ExportInput).validated_data)
        kind = Kind(asked.pop("kind"))

        def verb(act: Act) -> Export:
            return exports.ask(act=act, kind=kind, asked=asked)

        return self.answer(request, verb, export_object, status=202)

    @extend_schema(
        operation_id="list_exports",
        parameters=[LIMIT, AFTER],
        responses={200: ExportListOutput} | errors(400, 401, 403, 429, 503),
    )
    def get(self, request: Request) -> Response:
        """List exports, the newest first."""
        found = Export.objects.of_project(self.project_id)
        return self.page(request, found, export_object, "xprt")


class ExportDetail(ExportView):
    """`/v1/exports/{history_export_id}`"""

    @extend_schema(
        operation_id="get_export",
        parameters=[EXPORT],
        responses={200: ExportOutput} | errors(401, 403, 404, 429, 503),
    )
    def get(self, request: Request, history_export_id: str) -> Response:
        """Return how far an export is, and what its file leaves out."""
        return Response(export_object(self.one(history_export_id)))


class ExportFile(ExportView):
    """`/v1/exports/{history_export_id}/file`"""

    sends_files = True

    @extend_schema(
        operation_id="get_export_file",
        parameters=[EXPORT, RANGE],
        responses={
            (status, one.media_type): OpenApiTypes.BINARY
            for status in (200, 206)
            for one in FORMATS
        }
        | errors(401, 403, 404, 416, 429, 503),
    )
    def get(self, request: Request, history_export_id: str) -> HttpResponse:
        """Download the file of an export, or one range of it, for seven days."""
        export = self.one(history_export_id)
        return file_response(export, request.headers.get("Range"))
