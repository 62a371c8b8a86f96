"""How a request body comes in: its limits, its gate, its parser.

The raw bytes stay at `request.body`, once: the parser and the request's digest read
them there. Bodies over 1 MiB are worked on one at a time in each process, because
parsing, merging and compressing 16 MiB of JSON takes many times that in memory.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.utils.mediatypes import _MediaType

from apps.core import json
from apps.core.errors import Busy, DomainError, InvalidRequest, PayloadTooLarge

GATED_BYTES = 1024 * 1024
GATE_SECONDS = 10.0


class LengthRequired(DomainError):
    """Send a Content-Length header with the body."""

    code = "length_required"


class UnsupportedEncoding(DomainError):
    """Send the body as UTF-8, and not compressed."""

    code = "unsupported_media_type"


class BodyGate:
    """Lets a set number of large bodies be worked on at once."""

    def __init__(self, *, permits: int, seconds: float) -> None:
        self._permits = threading.BoundedSemaphore(permits)
        self._seconds = seconds

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Hold a permit; raises `Busy` when none comes free in time."""
        if not self._permits.acquire(timeout=self._seconds):
            raise Busy(
                "Other large bodies are being worked on; nothing was stored. "
                "Retry shortly.",
                retry_after=5,
            )
        try:
            yield
        finally:
            self._permits.release()


GATE = BodyGate(permits=1, seconds=GATE_SECONDS)


def receive_body(request: HttpRequest) -> bytes:
    """Read the whole body, refusing on its headers before reading a byte.

    The caller enters the gate only afterwards: held while a slow client uploads, it
    would shut out everybody else.
    Raises: UnsupportedEncoding, LengthRequired, PayloadTooLarge, InvalidRequest.
    """
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnsupportedEncoding(param="Content-Encoding")
    if "chunked" in request.headers.get("Transfer-Encoding", "").lower():
        _read_chunks(request)
    declared = _declared_length(request)
    if declared > settings.REQUEST_BYTES:
        raise _too_large()
    # A cut connection must not turn a half-sent body into an empty one.
    if len(request.body) < declared:
        raise InvalidRequest("The body ended before its Content-Length.")
    return request.body


def _declared_length(request: HttpRequest) -> int:
    text = request.META.get("CONTENT_LENGTH") or "0"
    if not (text.isascii() and text.isdecimal()):
        raise InvalidRequest("Content-Length is not a number.", param="Content-Length")
    return int(text)


def _read_chunks(request: HttpRequest) -> None:
    """Read a body sent without its length, then go on as if it had been given.

    One sized read: granian's input drops bytes when a sized read is followed by an
    unsized one (tried with 2.8.7), and a server that does not mark the end of the
    input would let us wait for ever.
    """
    if not request.META.get("wsgi.input_terminated"):
        raise LengthRequired
    body = request.META["wsgi.input"].read(settings.REQUEST_BYTES + 1)
    if len(body) > settings.REQUEST_BYTES:
        raise _too_large()
    # The server does not tell a connection that was cut before the first chunk from
    # an empty body, which some requests may have: a fork would be made of the head.
    if not body:
        raise InvalidRequest("The chunked body was empty; send none without chunks.")
    request.META["CONTENT_LENGTH"] = str(len(body))
    request._body = body
    request._stream = BytesIO(body)


def _too_large() -> PayloadTooLarge:
    limit = settings.REQUEST_BYTES
    return PayloadTooLarge(
        f"The body is larger than {limit:,} bytes, the most that is accepted.",
        limit=limit,
    )


class StrictJSONParser(BaseParser):
    """Parses UTF-8 JSON with `core.json`; DRF gives {} where there is no body."""

    media_type = "application/json"

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Any = None,
    ) -> Any:
        charset = _MediaType(media_type or "").params.get("charset", "utf-8")
        if charset.strip("\"'").lower() not in ("utf-8", "utf8"):
            raise UnsupportedMediaType(media_type or "")
        body = parser_context["request"]._request.body
        return json.parse(body, max_depth=json.MAX_REQUEST_DEPTH)


class JSONRenderer(BaseRenderer):
    """Writes JSON with `core.json`, splicing stored bytes where there are any."""

    media_type = "application/json"
    format = "json"
    charset = None
    render_style = "binary"

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Any = None,
    ) -> bytes:
        return b"" if data is None else json.dumps(data)
