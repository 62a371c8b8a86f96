"""From bytes to values: strictly what comes in, quickly what was written before."""

from apps.core.errors import UnacceptableJson
from apps.core.json.limits import (
    MAX_DEPTH,
    MAX_STATE_BYTES,
    is_acceptable,
    refused,
    too_large,
)
from apps.core.json.reader import read, refusal
from apps.core.json.values import Json, State


def parse(data: bytes, *, max_depth: int = MAX_DEPTH) -> Json:
    """Return the value that `data` spells, exactly.

    The first fault decides. `-0` is the integer 0; `-0.0` keeps its sign.

    Raises: MalformedJson with line, column and position; UnacceptableJson with the
    pointer of a number out of range or of the first container that is too deep.
    """
    try:
        value = read(data)
    except ValueError as fault:
        # Not chained: the parser's text may quote the body, and tracebacks are logged.
        raise refusal(data, str(fault), max_depth) from None
    if not is_acceptable(value, max_depth):
        raise refused(value, max_depth=max_depth)
    return value


def parse_written(data: bytes) -> Json:
    """Return the value of bytes that were accepted and written by `writing` before.

    Its depth and its numbers are not looked at again, which takes longer than to
    parse it: `parse` is for what comes in.

    Raises: MalformedJson for what is no JSON.
    """
    try:
        return read(data)
    except ValueError:
        return parse(data)


def parse_object(data: bytes, *, max_bytes: int = MAX_STATE_BYTES) -> State:
    """Return the state that `data` spells.

    Raises: PayloadTooLarge; MalformedJson; UnacceptableJson, also for a value that
    is not an object.
    """
    if len(data) > max_bytes:
        raise too_large(len(data), max_bytes)
    value = parse(data)
    if type(value) is not dict:
        raise UnacceptableJson("This must be a JSON object.", param="")
    return value
