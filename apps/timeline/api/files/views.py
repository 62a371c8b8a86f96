"""`/v1/sessions/{id}/versions/{n}/files`: the files of a version, and their bytes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any, cast

from django.http import HttpResponse, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core import paging
from apps.core.http.openapi.schema import errors
from apps.timeline.api import parameters
from apps.timeline.api.base import TimelineView
from apps.timeline.api.files.ranges import asked_range
from apps.timeline.api.outputs.files import FileList
from apps.timeline.api.parameters import whole_number
from apps.timeline.api.states import READ_ERRORS
from apps.timeline.bodies.files import LONGEST_PATH, File
from apps.timeline.queries.files import (
    Content,
    Span,
    content_of,
    file_at,
    files_shown,
)

BYTES = "application/octet-stream"
# What an agent wrote is never run in a browser, whatever it says that it is.
HARMLESS = {
    "Content-Disposition": "attachment",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "X-Content-Type-Options": "nosniff",
}


class FilesView(TimelineView):
    """The files of one version."""

    @extend_schema(
        operation_id="list_files",
        parameters=[
            parameters.limit(100),
            OpenApiParameter("starting_after", str, description="A path."),
        ],
        responses={200: FileList, **READ_ERRORS},
    )
    def get(self, request: Request, session_id: str, number: str) -> Response:
        """List the files of a version, in the order in which they were named."""
        limit = paging.limit_of(request, default=100)
        after = paging.text_of(request, "starting_after", LONGEST_PATH)
        version = self.version(session_id, whole_number(number, "version"))
        found = files_shown(version)
        rest = islice(found, _place_after(found, after), None)
        page = paging.page(
            list(islice(rest, limit + 1)), limit, lambda one: one.path, file_object
        )
        return Response(
            page
            | {
                "session_id": session_id,
                "version": version.number,
                "total": len(found),
            }
        )


class FileView(TimelineView):
    """The bytes of one file of a version."""

    sends_files = True

    @extend_schema(
        operation_id="read_file",
        parameters=[
            OpenApiParameter(
                "path", str, OpenApiParameter.PATH, description="The file's `path`."
            ),
            OpenApiParameter(
                "Range",
                str,
                OpenApiParameter.HEADER,
                description="One range of bytes, such as bytes=0-1023.",
            ),
        ],
        responses={
            (200, BYTES): OpenApiTypes.BINARY,
            (206, BYTES): OpenApiTypes.BINARY,
            **READ_ERRORS,
            **errors(416),
        },
    )
    def get(
        self, request: Request, session_id: str, number: str, path: str
    ) -> HttpResponse:
        """Read a file of a version, whole or one range of it."""
        version = self.version(session_id, whole_number(number, "version"))
        file = file_at(version, path)
        part = asked_range(request.headers.get("Range"), file.size)
        content = content_of(str(self.scope.project.id), file)
        return _sent(content, part or Span(0, file.size), is_part=part is not None)


def file_object(file: File) -> dict[str, Any]:
    return {
        "object": "file",
        "path": file.path,
        "size": file.size,
        "mode": file.mode,
        "media_type": file.media_type,
        "caption": file.caption,
        "chunks": [{"sha256": one.digest, "size": one.size} for one in file.chunks],
    }


def _place_after(found: list[File], path: str | None) -> int:
    if path is None:
        return 0
    places = (place for place, one in enumerate(found) if one.path == path)
    return next(places, len(found)) + 1


def _sent(content: Content, span: Span, *, is_part: bool) -> HttpResponse:
    """Answer bytes; a store that is away is noticed before anything is sent."""
    told = {**HARMLESS, "Accept-Ranges": "bytes", "Content-Length": str(span.length)}
    if is_part:
        last = span.start + span.length - 1
        told["Content-Range"] = f"bytes {span.start}-{last}/{content.file.size}"
    chunks: Iterator[bytes] = content.read(span)
    first = next(chunks, b"")
    sent: Any = StreamingHttpResponse(
        chain([first], chunks),
        status=206 if is_part else 200,
        content_type=BYTES,
        headers=told,
    )
    return cast(HttpResponse, sent)
