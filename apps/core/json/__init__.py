"""JSON as this product reads and writes it: strictly in, value-exactly out.

Owns what a state may be, the one parser and the one writer; with `pointers` and
`projection`, whose names it passes on, it is all that others import. Refuses rather
than repairs, and never puts a body's text into an error: only where the fault is.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, compress, islice
from operator import is_, is_not
from typing import Any, TypeAlias

import orjson

from apps.core.errors import PayloadTooLarge, UnacceptableJson
from apps.core.json.pointers import (
    merged,
    pointer,
    remove,
    resolve,
    segments,
    shortened,
)
from apps.core.json.projection import cleaned, items_left_out
from apps.core.json.reader import (
    MAX_DIGITS,
    not_text,
    out_of_range,
    read,
    refusal,
    too_deep,
)

__all__ = [
    "MAX_DEPTH",
    "MAX_DIGITS",
    "MAX_REQUEST_DEPTH",
    "MAX_STATE_BYTES",
    "Json",
    "State",
    "check",
    "cleaned",
    "dumps",
    "items_left_out",
    "merged",
    "parse",
    "parse_object",
    "pointer",
    "remove",
    "resolve",
    "segments",
    "splice",
    "state_bytes",
]

Json: TypeAlias = Any
State: TypeAlias = dict[str, Any]

MAX_STATE_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 128
# A request wraps its states: {"items": [{"state": ...}]}. The parser stops at 201.
MAX_REQUEST_DEPTH = MAX_DEPTH + 8

# orjson writes no deeper; answers wrap states, which are less deep.
_WRITER_DEPTH = 254
_CONTAINERS = (dict, list, tuple)
_TOO_LARGE = 10**MAX_DIGITS
_TOO_SMALL = -_TOO_LARGE


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
    if not _is_acceptable(value, max_depth):
        raise _refused(value, max_depth=max_depth)
    return value


def parse_written(data: bytes) -> Json:
    """Return the value of bytes that were accepted and written by this module before.

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
        raise _too_large(len(data), max_bytes)
    value = parse(data)
    if type(value) is not dict:
        raise UnacceptableJson("This must be a JSON object.", param="")
    return value


def check(value: Json, *, at: str = "", accepted: State | None = None) -> State:
    """Return `value`, the state found at pointer `at` of a parsed request.

    Depth counts from the value itself, so the request around it costs nothing. Members
    that it shares with a state that was accepted before are not looked at again.

    Raises: UnacceptableJson with the pointer from the request's root.
    """
    if type(value) is not dict:
        raise UnacceptableJson("This must be a JSON object.", param=shortened(at))
    members = value if accepted is None else _unlike(value, accepted)
    if not _is_acceptable(members, MAX_DEPTH):
        raise _refused(value, at=at, max_depth=MAX_DEPTH)
    return value


def state_bytes(value: Json, *, at: str = "", accepted: State | None = None) -> bytes:
    """Return the bytes under which the state at pointer `at` is stored.

    Raises: UnacceptableJson as `check` does; PayloadTooLarge.
    """
    # Not `dumps`: where there is a null it would look for infinities once more.
    data = _dumped(check(value, at=at, accepted=accepted))
    if len(data) > MAX_STATE_BYTES:
        raise _too_large(len(data), MAX_STATE_BYTES)
    return data


def dumps(value: Json) -> bytes:
    """Return compact JSON that parses to exactly this value; splices Fragments.

    A time in UTC, as details of errors have it, ends in Z like all others.
    Raises: UnacceptableJson for what JSON cannot say; TypeError for foreign types.
    """
    data = _dumped(value)
    # orjson writes infinities and NaN as null: only then is the value walked.
    if b"null" in data and not _is_acceptable(value, _WRITER_DEPTH):
        raise _refused(value)
    return data


def splice(value: Json) -> bytes:
    """As `dumps`, for few values around many stored bytes, which are not searched.

    To look for a null in 30 MB takes five times as long as to write them.
    """
    data = _dumped(value)
    if not _is_acceptable(value, _WRITER_DEPTH):
        raise _refused(value)
    return data


def _dumped(value: Json) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_UTC_Z)
    except TypeError:
        return _dumps_slowly(value)


def _is_acceptable(value: Json, max_depth: int) -> bool:
    """Tell whether depth and numbers are within the limits: 1.8 ms for 1 MB."""
    level: list[Json] = [[value]]
    depth = 0
    while level:
        if depth > max_depth:
            return False
        nested = []
        for container in level:
            for child in _children(container):
                kind = type(child)
                if kind is float or kind is int:
                    if not _TOO_SMALL < child < _TOO_LARGE:
                        return False
                elif kind is not str and isinstance(child, _CONTAINERS):
                    nested.append(child)
        level, depth = nested, depth + 1
    return True


def _unlike(value: State, accepted: State) -> State:
    """Return the members that are not the very ones of another object."""
    if len(value) < len(accepted) or not all(map(is_, accepted, value)):
        return {k: v for k, v in value.items() if accepted.get(k) is not v}
    # An update made it: the same keys in the same order, and those that are new.
    changed = compress(value, map(is_not, value.values(), accepted.values()))
    fresh = islice(value, len(accepted), None)
    return {key: value[key] for key in chain(changed, fresh)}


def _children(container: Json) -> Iterable[Json]:
    return container.values() if isinstance(container, dict) else container


def _is_in_range(number: float) -> bool:
    """Tell whether JSON can say the number; infinities and NaN fail this as well."""
    return bool(_TOO_SMALL < number < _TOO_LARGE)


def _refused(
    value: Json, *, at: str = "", max_depth: int = _WRITER_DEPTH
) -> UnacceptableJson:
    """Name the first place that is not acceptable, in a value that is not."""
    fault = _first_fault(value, at, max_depth)
    return fault or UnacceptableJson(param=shortened(at))


def _dumps_slowly(value: Json) -> bytes:
    """Write what orjson refused: large integers, or nothing at all."""
    try:
        spelled = _with_spelled_integers(value)
        return orjson.dumps(spelled, option=orjson.OPT_UTC_Z)
    except TypeError:
        if fault := _first_fault(value, "", _WRITER_DEPTH):
            raise fault from None
        raise


def _first_fault(value: Json, at: str, max_depth: int) -> UnacceptableJson | None:
    """Return the first fault in document order, with a pointer that starts with `at`.

    Keeps one iterator a level and no path a value: 16 MiB of empty lists and one
    1e400 would otherwise take many seconds to refuse.
    """
    keys: list[str | int] = []
    open_containers = [_items([value])]
    while open_containers:
        for key, child in open_containers[-1]:
            is_container = isinstance(child, _CONTAINERS)
            is_too_deep = is_container and len(keys) >= max_depth
            if says := too_deep if is_too_deep else _wrong(child):
                # The first key is the index in the list put around the value.
                return says(at + pointer([*keys, key][1:]))
            if is_container:
                keys.append(key)
                open_containers.append(_items(child))
                break
        else:
            open_containers.pop()
            del keys[-1:]
    return None


def _wrong(child: Json) -> Callable[[str], UnacceptableJson] | None:
    """Return how to say what is wrong with a value itself, or with its keys."""
    kind = type(child)
    if kind is int or kind is float:
        return None if _is_in_range(child) else out_of_range
    if isinstance(child, dict):
        return None if all(map(_is_text, child)) else not_text
    return not_text if kind is str and not _is_text(child) else None


def _items(container: Json) -> Iterator[tuple[Any, Json]]:
    if isinstance(container, dict):
        return iter(container.items())
    return iter(enumerate(container))


def _is_text(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _with_spelled_integers(value: Json, room: int = _WRITER_DEPTH) -> Json:
    """Copy the value with the integers that orjson cannot write already written."""
    if room and isinstance(value, dict):
        return {k: _with_spelled_integers(v, room - 1) for k, v in value.items()}
    if room and isinstance(value, (list, tuple)):
        return [_with_spelled_integers(item, room - 1) for item in value]
    if type(value) is int and value.bit_length() > 63 and _is_in_range(value):
        return orjson.Fragment(str(value))
    return value


def _too_large(size: int, limit: int) -> PayloadTooLarge:
    return PayloadTooLarge(
        f"The body is {size:,} bytes; at most {limit:,} are accepted.",
        size=size,
        limit=limit,
    )
