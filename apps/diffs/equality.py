"""Whether two JSON values are the same, exactly and at C speed.

Python says True == 1 == 1.0 and 0.0 == -0.0; as JSON these differ. So `==` only rules
out, and what it lets through is compared as written: 0.3 + 0.5 ms on a megabyte, where
a walk in Python takes 10. Key order is not a difference.
"""

import json
from itertools import compress, islice
from operator import is_, is_not

import orjson

from apps.diffs.changes import Json


def spelling(value: Json) -> bytes:
    """Write a value so that same values, and only those, give the same bytes."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # an integer beyond 64 bits
        return json.dumps(value, sort_keys=True).encode()


def same(one: Json, other: Json) -> bool:
    """Decide whether two values are the same JSON, whatever their key order."""
    if one is other:
        return True
    kind = one.__class__
    if kind is not other.__class__:
        return False
    if kind is float:
        return repr(one) == repr(other)
    if one != other:
        return False
    if kind is dict or kind is list:
        return same_spelling(one, other)
    return True


def is_copied_from(new: dict[str, Json], old: dict[str, Json]) -> bool:
    """Say whether an object begins with the very keys of another, in their order.

    So does one that an update made. Its members are told apart by what they are: of
    100,000 keys in 2 ms, where looking each up takes 30.
    """
    return len(new) >= len(old) and all(map(is_, old, new))


def differing(
    old: dict[str, Json], new: dict[str, Json]
) -> tuple[list[str], list[str]]:
    """Name the keys of an object that are gone or differ in another, and its new ones.

    Each in the order of the object that has them.
    """
    if is_copied_from(new, old):
        others = compress(old, map(is_not, old.values(), new.values()))
        changed = [key for key in others if not same(old[key], new[key])]
        return changed, list(islice(new, len(old), None))
    changed = [k for k in old if k not in new or not same(old[k], new[k])]
    return changed, [key for key in new if key not in old]


def same_spelling(one: Json, other: Json) -> bool:
    """Decide for containers of which `==` says that they are equal."""
    try:  # unsorted is twice as fast, and the key order rarely differs
        if orjson.dumps(one) == orjson.dumps(other):
            return True
    except TypeError:
        pass
    return spelling(one) == spelling(other)
