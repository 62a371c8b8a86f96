"""What JSON may be here: depth and size, range of numbers, text.

Looks whether a value is acceptable, and names the first place that is not.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from apps.core.errors import PayloadTooLarge, UnacceptableJson
from apps.core.json.pointers import pointer, shortened
from apps.core.json.reader import MAX_DIGITS, not_text, out_of_range, too_deep
from apps.core.json.values import Json

MAX_STATE_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 128
# A request wraps its states: {"items": [{"state": ...}]}. The parser stops at 201.
MAX_REQUEST_DEPTH = MAX_DEPTH + 8

# orjson writes no deeper; answers wrap states, which are less deep.
WRITER_DEPTH = 254
_CONTAINERS = (dict, list, tuple)
_TOO_LARGE = 10**MAX_DIGITS
_TOO_SMALL = -_TOO_LARGE


def is_acceptable(value: Json, max_depth: int) -> bool:
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


def refused(
    value: Json, *, at: str = "", max_depth: int = WRITER_DEPTH
) -> UnacceptableJson:
    """Name the first place that is not acceptable, in a value that is not."""
    fault = first_fault(value, at, max_depth)
    return fault or UnacceptableJson(param=shortened(at))


def too_large(size: int, limit: int) -> PayloadTooLarge:
    return PayloadTooLarge(
        f"The body is {size:,} bytes; at most {limit:,} are accepted.",
        size=size,
        limit=limit,
    )


def is_in_range(number: float) -> bool:
    """Tell whether JSON can say the number; infinities and NaN fail this as well."""
    return bool(_TOO_SMALL < number < _TOO_LARGE)


def first_fault(value: Json, at: str, max_depth: int) -> UnacceptableJson | None:
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
        return None if is_in_range(child) else out_of_range
    if isinstance(child, dict):
        return None if all(map(_is_text, child)) else not_text
    return not_text if kind is str and not _is_text(child) else None


def _is_text(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _children(container: Json) -> Iterable[Json]:
    return container.values() if isinstance(container, dict) else container


def _items(container: Json) -> Iterator[tuple[Any, Json]]:
    if isinstance(container, dict):
        return iter(container.items())
    return iter(enumerate(container))
