"""Differences that any two runs have: when something happened, and ids that were drawn.

Guessed from the name of a key and from the value, and of use only where states of two
runs are compared: there they hide what matters. A value that only one side has is never
taken for one, nor an id that people know (of an order, a flight): it may be the point.
"""

from __future__ import annotations

import re

from apps.diffs import pointers
from apps.diffs.changes import Change, Json, Kind

_CHANGED = (Kind.CHANGED, Kind.TYPE_CHANGED)
_CLOCKS = frozenset(
    {
        *("clock", "created", "duration", "elapsed", "ended", "finished", "heartbeat"),
        *("latency", "modified", "received", "seen", "sent", "started", "timestamp"),
        *("touched", "ts", "updated", "uptime"),
    }
)
# Keys of what frameworks draw; an id of any other name has to look drawn.
_DRAWN = frozenset(
    {
        *("call_id", "checkpoint_id", "correlation_id", "etag", "guid", "id", "nonce"),
        *("message_id", "parent_run_id", "request_id", "run_id", "session_id", "uuid"),
        *("span_id", "thread_id", "tool_call_id", "trace_id"),
    }
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d(:\d\d)?\Z")
_UUID = re.compile(r"[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}", re.IGNORECASE)
# A prefix as of `call_` or `chatcmpl-`, and characters that no person chose.
_TOKEN = re.compile(r"(?:[A-Za-z]{2,12}[_-])?(?=[A-Za-z]*[0-9])[0-9A-Za-z]{16,64}")
_LONGEST = 120


def is_incidental(change: Change) -> bool:
    """Return whether a change is a time or a drawn id that differs, no more."""
    if change.kind not in _CHANGED:
        return False
    key = _key(change.pointer)
    sides = (change.before, change.after)
    return all(_is_time(key, one) for one in sides) or all(
        _is_drawn(key, one) for one in sides
    )


def _key(pointer: str) -> str:
    """Return the key of a value; of an item of a list, that of the list."""
    try:
        tokens = pointers.split(pointer)
    except ValueError:  # it was cut
        return ""
    named = [one for one in tokens if not one.isdecimal()]
    return named[-1][:_LONGEST] if named else ""


def _is_time(key: str, value: Json) -> bool:
    if not _CLOCKS & {word.lower() for word in _WORD.findall(key)}:
        return False
    if isinstance(value, str):
        return _MOMENT.match(value[:32]) is not None
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_drawn(key: str, value: Json) -> bool:
    if not isinstance(value, str) or len(value) > _LONGEST:
        return False
    if _UUID.fullmatch(value):
        return True
    return key.lower() in _DRAWN and _TOKEN.fullmatch(value) is not None
