"""The file of an export as it is sent: to be kept, never shown as a page."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpResponse, StreamingHttpResponse
from django.utils import timezone

from apps.core.http.spreadsheets import FILE_HEADERS
from apps.exports import operations as exports
from apps.exports.kinds import format_of
from apps.exports.models import Export
from apps.timeline.api.files.ranges import asked_range


def file_response(export: Export, asked: str | None = None) -> HttpResponse:
    """Return the file, or the one range of its bytes that is asked for.

    Raises: ExportNotFound, RangeNotSatisfiable, ObjectsUnavailable.
    """
    now = timezone.now()
    part = asked_range(asked, export.bytes) if export.is_there(now) else None
    start, length = (part.start, part.length) if part else (0, export.bytes)
    as_file = format_of(export)
    name = f"{export.id}.{as_file.suffix}"
    sent: Any = StreamingHttpResponse(
        exports.opened(export=export, now=now, start=start, length=length),
        status=206 if part else 200,
        content_type=as_file.media_type,
        headers=FILE_HEADERS
        | {
            "Content-Disposition": f'attachment; filename="{name}"',
            "Content-Length": str(length),
            "Accept-Ranges": "bytes",
            "Cache-Control": "no-store",
        },
    )
    if part:
        last = start + length - 1
        sent["Content-Range"] = f"bytes {start}-{last}/{export.bytes}"
    return cast(HttpResponse, sent)
