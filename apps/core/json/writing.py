"""From values to compact bytes that parse to exactly these values."""

import hashlib

import orjson

from apps.core.json.limits import (
    WRITER_DEPTH,
    first_fault,
    is_acceptable,
    is_in_range,
    refused,
)
from apps.core.json.values import Json


def dumps(value: Json) -> bytes:
    """Return compact JSON that parses to exactly this value; splices Fragments.

    A time in UTC, as details of errors have it, ends in Z like all others.
    Raises: UnacceptableJson for what JSON cannot say; TypeError for foreign types.
    """
    data = dumped(value)
    # orjson writes infinities and NaN as null: only then is the value walked.
    if b"null" in data and not is_acceptable(value, WRITER_DEPTH):
        raise refused(value)
    return data


def fingerprint(value: Json) -> str:
    """Return what is another text for another value: a form says what it had shown."""
    return hashlib.sha256(dumps(value)).hexdigest()


def splice(value: Json) -> bytes:
    """As `dumps`, for few values around many stored bytes, which are not searched.

    To look for a null in 30 MB takes five times as long as to write them.
    """
    data = dumped(value)
    if not is_acceptable(value, WRITER_DEPTH):
        raise refused(value)
    return data


def dumped(value: Json) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_UTC_Z)
    except TypeError:
        return _dumps_slowly(value)


def _dumps_slowly(value: Json) -> bytes:
    """Write what orjson refused: large integers, or nothing at all."""
    try:
        spelled = _with_spelled_integers(value)
        return orjson.dumps(spelled, option=orjson.OPT_UTC_Z)
    except TypeError:
        if fault := first_fault(value, "", WRITER_DEPTH):
            raise fault from None
        raise


def _with_spelled_integers(value: Json, room: int = WRITER_DEPTH) -> Json:
    """Copy the value with the integers that orjson cannot write already written."""
    if room and isinstance(value, dict):
        return {k: _with_spelled_integers(v, room - 1) for k, v in value.items()}
    if room and isinstance(value, (list, tuple)):
        return [_with_spelled_integers(item, room - 1) for item in value]
    if type(value) is int and value.bit_length() > 63 and is_in_range(value):
        return orjson.Fragment(str(value))
    return value
