"""JSON pointers that callers give, and what is done at them: read, remove, merge.

`diffs.pointers` parses and follows them; here a fault is the caller's, and named.
Everything is pure: a value that is passed in stays as it was, and what a change does
not touch is shared with the result.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from apps.core.errors import UnacceptableJson
from apps.diffs import pointers
from apps.diffs.pointers import join as pointer

__all__ = [
    "MAX_POINTER",
    "merged",
    "pointer",
    "remove",
    "resolve",
    "segments",
    "shortened",
]

MAX_POINTER = 500


def segments(path: str) -> list[str]:
    """Return the keys and indices, as text, that a JSON pointer names.

    Raises: UnacceptableJson.
    """
    try:
        return pointers.split(path)
    except ValueError:
        raise UnacceptableJson(
            "This is not a JSON pointer.", param=shortened(path)
        ) from None


def resolve(value: Any, path: str) -> Any:
    """Return what stands at pointer `path`.

    Raises: UnacceptableJson.
    """
    for segment in segments(path):
        value = value[_key(value, segment, path)]
    return value


def remove(value: Any, path: str) -> Any:
    """Return a copy without what stands at pointer `path`; the rest is shared.

    Raises: UnacceptableJson where there is nothing to remove, and for the root.
    """
    return _without(value, [path])


def merged(
    state: dict[str, Any], patch: dict[str, Any], removals: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the state with the patch's top-level keys set, then places removed.

    Keys keep their places, null is stored as null, and removals happen one after
    another, so an index counts what the removals before it have left.

    Raises: UnacceptableJson as `remove` does.
    """
    result: dict[str, Any] = _without({**state, **patch}, removals)
    return result


def shortened(place: str) -> str:
    """Return the pointer at a length fit for an answer."""
    return place if len(place) <= MAX_POINTER else place[: MAX_POINTER - 1] + "…"


def _key(container: Any, segment: str, path: str) -> str | int:
    """Return the key or index that `segment` names in the container."""
    try:
        return pointers.key(container, segment)
    except KeyError:
        raise UnacceptableJson(
            "There is nothing at this pointer.", param=shortened(path)
        ) from None


def _without(root: Any, paths: Iterable[str]) -> Any:
    """Remove place after place; each container on the way is copied only once."""
    top = [root]
    # By id, and kept alive by it: 1,000 removals copy a list once.
    copies: dict[int, Any] = {id(top): top}
    for path in paths:
        keys = segments(path)
        if not keys:
            raise UnacceptableJson("The whole value cannot be removed.", param=path)
        parent: Any = top
        at: str | int = 0
        for segment in keys:
            child = parent[at]
            key = _key(child, segment, path)
            if id(child) not in copies:
                child = child.copy()
                copies[id(child)] = parent[at] = child
            parent, at = child, key
        del parent[at]
    return top[0]
