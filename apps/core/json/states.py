"""A state of a request: checked where it is, and the bytes it is stored under."""

from itertools import chain, compress, islice
from operator import is_, is_not

from apps.core.errors import UnacceptableJson
from apps.core.json.limits import (
    MAX_DEPTH,
    MAX_STATE_BYTES,
    is_acceptable,
    refused,
    too_large,
)
from apps.core.json.pointers import shortened
from apps.core.json.values import Json, State
from apps.core.json.writing import dumped


def check(value: Json, *, at: str = "", accepted: State | None = None) -> State:
    """Return `value`, the state found at pointer `at` of a parsed request.

    Depth counts from the value itself, so the request around it costs nothing. Members
    that it shares with a state that was accepted before are not looked at again.

    Raises: UnacceptableJson with the pointer from the request's root.
    """
    if type(value) is not dict:
        raise UnacceptableJson("This must be a JSON object.", param=shortened(at))
    members = value if accepted is None else _unlike(value, accepted)
    if not is_acceptable(members, MAX_DEPTH):
        raise refused(value, at=at, max_depth=MAX_DEPTH)
    return value


def state_bytes(value: Json, *, at: str = "", accepted: State | None = None) -> bytes:
    """Return the bytes under which the state at pointer `at` is stored.

    Raises: UnacceptableJson as `check` does; PayloadTooLarge.
    """
    # Not `dumps`: where there is a null it would look for infinities once more.
    data = dumped(check(value, at=at, accepted=accepted))
    if len(data) > MAX_STATE_BYTES:
        raise too_large(len(data), MAX_STATE_BYTES)
    return data


def _unlike(value: State, accepted: State) -> State:
    """Return the members that are not the very ones of another object."""
    if len(value) < len(accepted) or not all(map(is_, accepted, value)):
        return {k: v for k, v in value.items() if accepted.get(k) is not v}
    # An update made it: the same keys in the same order, and those that are new.
    changed = compress(value, map(is_not, value.values(), accepted.values()))
    fresh = islice(value, len(accepted), None)
    return {key: value[key] for key in chain(changed, fresh)}
