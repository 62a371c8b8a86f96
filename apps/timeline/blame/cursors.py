"""How a place in a blame is written into an address, and read back."""

from __future__ import annotations

import base64
import binascii

from apps.core import json
from apps.core.errors import MalformedJson, UnacceptableJson
from apps.core.json import Json, segments
from apps.timeline.blame.pairs import Number
from apps.timeline.blame.walk import Cursor

LONGEST_CURSOR = 32_000


def write_cursor(cursor: Cursor | None) -> str | None:
    """Return the text of a cursor, fit for a query string."""
    if cursor is None:
        return None
    restorer = list(cursor.restorer) if cursor.restorer else None
    text = json.dumps([*cursor.version, cursor.pointer, restorer])
    return base64.urlsafe_b64encode(text).decode()


def read_cursor(text: str) -> Cursor:
    """Return the cursor that was written so.

    Raises: ValueError for anything else.
    """
    try:
        session_id, number, pointer, restorer = json.parse(
            base64.urlsafe_b64decode(text)
        )
        segments(pointer)
        return Cursor(
            _number(session_id, number),
            pointer,
            _number(*restorer) if restorer else None,
        )
    except (binascii.Error, MalformedJson, UnacceptableJson, TypeError) as error:
        raise ValueError("no cursor") from error


def _number(session_id: Json, number: Json) -> Number:
    is_id = isinstance(session_id, str) and "\0" not in session_id
    if not is_id or type(number) is not int or not 0 <= number <= 2**53:
        raise ValueError("no version")
    return Number(session_id, number)
