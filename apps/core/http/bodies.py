"""How a request body comes in: its limits and its parser.

The raw bytes stay at `request.body`, once: the parser and the request's digest read
them there. The server's front has received them; `core.admission.gate` bounds how many
large ones a process works on.
"""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.utils.mediatypes import _MediaType

from apps.core import json
from apps.core.errors import DomainError, InvalidRequest, PayloadTooLarge


class LengthRequired(DomainError):
    """Send a Content-Length header with the body."""

    code = "length_required"


class UnsupportedEncoding(DomainError):
    """Send the body as UTF-8, and not compressed."""

    code = "unsupported_media_type"


def receive_body(request: HttpRequest) -> bytes:
    """Read the whole body, refusing on its headers before reading a byte.

    Raises: UnsupportedEncoding, LengthRequired, PayloadTooLarge, InvalidRequest.
    """
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnsupportedEncoding(param="Content-Encoding")
    # The front takes this header away, and says how long the chunks were together.
    if "Transfer-Encoding" in request.headers:
        raise LengthRequired
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


class JSONPatchParser(StrictJSONParser):
    """Parses a patch of RFC 6902 as if it stood under `operations` in a body."""

    media_type = "application/json-patch+json"

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Any = None,
    ) -> Any:
        return {"operations": super().parse(stream, media_type, parser_context)}


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
