"""Files that agents made, as a browser may have them: shown if harmless, else kept.

What is shown is decided by the bytes, never by what an agent says that they are: four
kinds of images, and text, as text. All else is downloaded. Either way nothing of it
runs, and it has no origin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, cast

from django.http import HttpResponse, StreamingHttpResponse

from apps.timeline.queries import Content, Span

SANDBOX = "default-src 'none'; sandbox"
BYTES = "application/octet-stream"
TEXT = "text/plain; charset=utf-8"
# Beyond that nobody reads it in a browser.
LONGEST_TEXT = 1024 * 1024
_BEGINNINGS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)


def sent_file(content: Content) -> HttpResponse:
    """Answer a whole file; a store that is away is noticed before anything is sent.

    Raises: ObjectsUnavailable.
    """
    file = content.file
    chunks: Iterator[bytes] = content.read(Span(0, file.size))
    first = next(chunks, b"")
    is_all = len(first) == file.size
    kind = shown_as(first, is_all=is_all)
    name = file.path.rpartition("/")[2]
    name = name if _PLAIN_NAME.fullmatch(name) else "file"
    kept = f'attachment; filename="{name}"'
    told = {
        "Content-Type": kind or BYTES,
        "Content-Length": str(file.size),
        "Content-Disposition": "inline" if kind else kept,
        "Content-Security-Policy": SANDBOX,
        "X-Content-Type-Options": "nosniff",
    }
    if is_all:
        return HttpResponse(first, headers=told)
    sent: Any = StreamingHttpResponse(chain([first], chunks), headers=told)
    return cast(HttpResponse, sent)


def shown_as(data: bytes, *, is_all: bool) -> str | None:
    """Return the media type as which a file is shown; None where it is downloaded."""
    for beginning, kind in _BEGINNINGS.items():
        if data.startswith(beginning):
            return kind
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    if not is_all or len(data) > LONGEST_TEXT or b"\0" in data:
        return None
    try:
        data.decode()
    except UnicodeDecodeError:
        return None
    return TEXT
