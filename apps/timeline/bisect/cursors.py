"""How a place in a bisect is written into an answer, and read back."""

from __future__ import annotations

import base64
import binascii

from apps.core import json
from apps.core.errors import MalformedJson, UnacceptableJson
from apps.timeline.bisect.history import Place

LONGEST_CURSOR = 500


def write_cursor(place: Place | None) -> str | None:
    """Return the text of a place, from which to go on."""
    if place is None:
        return None
    return base64.urlsafe_b64encode(json.dumps(list(place))).decode()


def read_cursor(text: str) -> Place:
    """Return the place that was written so.

    Raises: ValueError for anything else.
    """
    if len(text) > LONGEST_CURSOR:
        raise ValueError("longer than any cursor")
    try:
        session_id, number = json.parse(base64.urlsafe_b64decode(text))
    except (binascii.Error, MalformedJson, UnacceptableJson, TypeError) as error:
        raise ValueError("no cursor") from error
    if not isinstance(session_id, str) or type(number) is not int:
        raise ValueError("no version")
    return Place(session_id, number)
