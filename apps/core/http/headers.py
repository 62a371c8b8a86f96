"""What requests say in headers: idempotency key, expected version, their digest."""

import hashlib
import re
from typing import Literal

from django.http import HttpRequest
from rest_framework.request import Request

from apps.core.errors import InvalidRequest

# No comma: servers join headers of one name with it, and two keys name no one act.
KEY = re.compile(
    r"[\x21-\x2b\x2d-\x7e](?:[\x20-\x2b\x2d-\x7e]{0,253}[\x21-\x2b\x2d-\x7e])?",
    re.ASCII,
)
IDEMPOTENCY_KEY = "Idempotency-Key"
VERSION_TAG = re.compile(r'"v(0|[1-9][0-9]{0,8})"', re.ASCII)


def request_digest(request: Request | HttpRequest) -> bytes:
    """Return the sha256 of what was asked: method, path, If-Match and raw body.

    Two requests with one idempotency key are the same request if these are equal.
    Each part is preceded by its length, so that no two requests spell one string.
    """
    head = (request.method or "", request.path, request.headers.get("If-Match", ""))
    return digest_of(*head, request.body)


def digest_of(method: str, path: str, if_match: str, body: bytes) -> bytes:
    """Return the digest of a request by its parts; see `request_digest`."""
    digest = hashlib.sha256()
    for part in (method.encode(), path.encode(), if_match.encode(), body):
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.digest()


def idempotency_key(request: Request | HttpRequest) -> str | None:
    """Return the Idempotency-Key header; raises `InvalidRequest` for a bad one."""
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return None
    if not KEY.fullmatch(key):
        raise InvalidRequest(
            "Idempotency-Key takes one key: 1 to 255 visible ASCII characters, "
            "no comma.",
            param="Idempotency-Key",
        )
    return key


def if_match(request: Request | HttpRequest) -> int | Literal["*"] | None:
    """Return the version that If-Match names, "*" for any, None without the header."""
    tag = request.headers.get("If-Match")
    if tag is None:
        return None
    if tag == "*":
        return "*"
    found = VERSION_TAG.fullmatch(tag)
    if not found:
        raise InvalidRequest(
            'If-Match takes one version, as in "v12", or *.', param="If-Match"
        )
    return int(found[1])


def prefers_minimal(request: Request | HttpRequest) -> bool:
    """Say whether `Prefer: return=minimal` is among what is asked (RFC 7240)."""
    return preference(request, "return") == "minimal"


def preference(request: Request | HttpRequest, name: str) -> str | None:
    """Return the value of a preference in lower case (RFC 7240), None without it.

    The first of a name counts; what is not understood is ignored, as the RFC has it.
    """
    for one in request.headers.get("Prefer", "").split(","):
        given, _, value = one.partition(";")[0].partition("=")
        if given.strip().lower() == name:
            return value.strip().strip('"').lower()
    return None
