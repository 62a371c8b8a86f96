"""SHA-256 digests as callers write them, and the generations of objects."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from apps.core.errors import InvalidRequest

_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)
_RANDOM_BITS = 20
NO_DIGEST = "A blob is named by its SHA-256 in 64 characters, 0 to 9 and a to f."


def is_digest(text: object) -> bool:
    return isinstance(text, str) and _DIGEST.fullmatch(text) is not None


def require_digest(text: str, param: str) -> str:
    """Return a digest that is one.

    Raises: InvalidRequest.
    """
    if not is_digest(text):
        raise InvalidRequest(NO_DIGEST, param=param)
    return text


def require_digests(texts: Iterable[object], param: str) -> list[str]:
    """Return each digest once.

    Raises: InvalidRequest naming the place.
    """
    found = list(texts)
    for place, text in enumerate(found):
        if not is_digest(text):
            raise InvalidRequest(NO_DIGEST, param=f"/{param}/{place}")
    return list(dict.fromkeys(str(one) for one in found))


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def new_generation(now: datetime) -> int:
    """Return a number that no upload has had: the time, and chance.

    A counter would begin again once a row has gone, and a delete that a store answers
    late would then hit what came after it.
    """
    millis = int(now.timestamp() * 1000)
    return millis << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS)


def made_at(generation: int) -> datetime:
    """Return when an upload began, by its generation."""
    millis = generation >> _RANDOM_BITS
    return datetime.fromtimestamp(0, tz=UTC) + timedelta(milliseconds=millis)
