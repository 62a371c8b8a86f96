"""The file of an export as it is sent: to be kept, never shown as a page."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpResponse, StreamingHttpResponse
from django.utils import timezone

from apps.core.http.spreadsheets import FILE_HEADERS
from apps.exports import operations as exports
from apps.exports.kinds import format_of
from apps.exports.models import Export


def file_response(export: Export) -> HttpResponse:
    """Return the file.

    Raises: ExportNotFound, ObjectsUnavailable.
    """
    as_file = format_of(export)
    name = f"{export.id}.{as_file.suffix}"
    sent: Any = StreamingHttpResponse(
        exports.opened(export=export, now=timezone.now()),
        content_type=as_file.media_type,
        headers=FILE_HEADERS
        | {
            "Content-Disposition": f'attachment; filename="{name}"',
            "Content-Length": str(export.bytes),
            "Cache-Control": "no-store",
        },
    )
    return cast(HttpResponse, sent)
