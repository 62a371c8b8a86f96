"""Whether two JSON values are the same, exactly and at C speed.

Python says True == 1 == 1.0 and 0.0 == -0.0; as JSON these differ. So `==` only rules
out, and what it lets through is compared as written: 0.3 + 0.5 ms on a megabyte, where
a walk in Python takes 10. Key order is not a difference.
"""

import json

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
        return _same_spelling(one, other)
    return True


def _same_spelling(one: Json, other: Json) -> bool:
    try:  # unsorted is twice as fast, and the key order rarely differs
        if orjson.dumps(one) == orjson.dumps(other):
            return True
    except TypeError:
        pass
    return spelling(one) == spelling(other)


class Numbering:
    """Gives equal values equal numbers, in time linear in what it is shown.

    For deep trees: asking `same` again on every level of a tree 128 deep reads its
    bottom 128 times, whereas this reads every container once.
    """

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        # The container is kept beside its number: an id is unique only while it lives.
        self._seen: dict[int, tuple[Json, int]] = {}

    def same(self, one: Json, other: Json) -> bool:
        """Decide as `equality.same` does."""
        return one is other or self._number(one) == self._number(other)

    def _number(self, value: Json) -> int:
        if not isinstance(value, dict | list):
            return self._intern((type(value), self._scalar(value)))
        known = self._seen.get(id(value))
        if known is not None:
            return known[1]
        number = self._intern(self._contents(value))
        self._seen[id(value)] = (value, number)
        return number

    def _contents(self, value: Json) -> object:
        if isinstance(value, list):
            return (list, tuple(map(self._number, value)))
        return (dict, frozenset((k, self._number(v)) for k, v in value.items()))

    def _scalar(self, value: Json) -> object:
        return repr(value) if isinstance(value, float) else value

    def _intern(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))
