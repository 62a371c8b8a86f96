"""How a request body comes in: its limits and its parser.

The raw bytes stay at `request.body`, once: the parser and the request's digest read
them there. `core.gate` bounds how much of large ones a process has in memory.
"""

from contextlib import ExitStack
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
from apps.core.gate import GATE_SECONDS, GATED_BYTES, ByteBudget


class LengthRequired(DomainError):
    """Send a Content-Length header with the body."""

    code = "length_required"


class UnsupportedEncoding(DomainError):
    """Send the body as UTF-8, and not compressed."""

    code = "unsupported_media_type"


# What this process has received of large bodies at any time: one of the largest, or
# some of 8 MB.
RECEIVED = ByteBudget(total=settings.REQUEST_BYTES, seconds=GATE_SECONDS)
_PIECE = 64 * 1024


def receive_body(request: HttpRequest, held: ExitStack) -> bytes:
    """Read the whole body, refusing on its headers before reading a byte.

    The bytes of a large one are counted until `held` ends. The caller enters the gate
    only afterwards: held while a slow client uploads, it would shut out everybody else.

    Raises: UnsupportedEncoding, LengthRequired, PayloadTooLarge, InvalidRequest, Busy.
    """
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnsupportedEncoding(param="Content-Encoding")
    if "chunked" in request.headers.get("Transfer-Encoding", "").lower():
        _read_chunks(request, held)
    declared = _declared_length(request)
    if declared > settings.REQUEST_BYTES:
        raise _too_large()
    if declared > GATED_BYTES and not hasattr(request, "_body"):
        _hold(declared, request.META["wsgi.input"], held)
    # A cut connection must not turn a half-sent body into an empty one.
    if len(request.body) < declared:
        raise InvalidRequest("The body ended before its Content-Length.")
    return request.body


def _hold(size: int, stream: Any, held: ExitStack) -> None:
    """Count so many bytes as received, until `held` ends.

    Where there is no room for them they are taken in all the same, and dropped: a
    client that is cut off while it sends does not get to read that it should retry.

    Raises: Busy.
    """
    try:
        held.enter_context(RECEIVED.hold(size))
    except Busy:
        while size and (part := stream.read(min(size, _PIECE))):
            size -= len(part)
        raise


def _declared_length(request: HttpRequest) -> int:
    text = request.META.get("CONTENT_LENGTH") or "0"
    if not (text.isascii() and text.isdecimal()):
        raise InvalidRequest("Content-Length is not a number.", param="Content-Length")
    return int(text)


def _read_chunks(request: HttpRequest, held: ExitStack) -> None:
    """Read a body sent without its length, then go on as if it had been given.

    Sized reads alone: granian's input drops bytes when a sized read is followed by an
    unsized one (tried with 2.8.7), and a server that does not mark the end of the
    input would let us wait for ever.
    """
    if not request.META.get("wsgi.input_terminated"):
        raise LengthRequired
    stream, most = request.META["wsgi.input"], settings.REQUEST_BYTES
    body = stream.read(min(GATED_BYTES, most) + 1)
    if len(body) > GATED_BYTES:
        # How much is still to come is not known.
        _hold(most, stream, held)
        body += stream.read(most + 1 - len(body))
    if len(body) > most:
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
        return b"" if data is None else json.splice(data)
