"""JSON Schemas that callers give: what a value may be, and where one does not pass.

A schema is hostile data: nothing is fetched for it, a pattern takes linear time, none
leads back to itself without going into the value, and of a value that does not pass
only the places are said.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import jsonschema_rs

from apps.core.json.pointers import pointer, shortened
from apps.core.json.projection import cleaned
from apps.diffs import pointers

# So many places at fault are named.
MOST_NAMED = 20
# What may be looked at of a schema for one place of a value.
MOST_LOOKS = 10_000
# Keywords that lead to another schema.
LEADING = ("$ref", "$dynamicRef", "$recursiveRef")
# Keywords whose schemas are held against the same value.
_ONE = ("not", "if", "then", "else")
_MANY = ("allOf", "anyOf", "oneOf")
_PATTERNS = jsonschema_rs.RegexOptions(size_limit=1 << 20)


class NotASchema(ValueError):
    """What was given as a JSON Schema is none that is taken; `at` says where."""

    def __init__(self, message: str, at: str = "") -> None:
        self.message, self.at = message, at
        super().__init__(message)


class Shape:
    """A JSON Schema, ready to be held against values."""

    def __init__(self, schema: Any) -> None:
        """Raises: NotASchema for what is none, or leads elsewhere."""
        _require_own(schema, [])
        try:
            self._validator = jsonschema_rs.validator_for(
                schema, retriever=_refuse, pattern_options=_PATTERNS
            )
        except (ValueError, TypeError, OverflowError, jsonschema_rs.ReferencingError):
            raise NotASchema("This is no JSON Schema that can be read.") from None
        _Looks(schema).require_bounded()

    def faults(self, value: Any, *, at: str = "") -> list[dict[str, str]]:
        """Return the first places of a value that do not pass, as answers say them."""
        found: list[dict[str, str]] = []
        for error in self._validator.iter_errors(value):
            keyword = str(error.schema_path[-1]) if error.schema_path else "schema"
            place = at + pointer([*map(str, error.instance_path)])
            found.append(
                {
                    "param": shortened(place),
                    "message": f"It does not pass {cleaned(keyword)}.",
                }
            )
            if len(found) == MOST_NAMED:
                break
        return found


def _refuse(uri: str) -> NoReturn:
    raise ValueError("Nothing is fetched for a schema.")


def _require_own(value: Any, place: list[str]) -> None:
    """Refuse what leads out of the document; depth was bounded as it was read."""
    if isinstance(value, dict):
        for name, one in value.items():
            if name in LEADING and not _leads_inside(one):
                raise NotASchema(
                    "A reference leads into the schema itself: #/….",
                    pointer([*place, name]),
                )
            if name == "$id" and place and isinstance(one, str):
                # References below it would lead from there.
                raise NotASchema(
                    "Only the whole schema has an $id.", pointer([*place, name])
                )
            _require_own(one, [*place, name])
    elif isinstance(value, list):
        for index, one in enumerate(value):
            _require_own(one, [*place, str(index)])


def _leads_inside(reference: Any) -> bool:
    """Say whether this is a pointer as we read it, too: no name, nothing escaped."""
    if not isinstance(reference, str) or "%" in reference:
        return False
    return reference == "#" or reference.startswith("#/")


class _Looks:
    """Count what is held against one and the same value, through references."""

    def __init__(self, schema: Any) -> None:
        self._root = schema
        self._counts: dict[int, int] = {}
        self._open: set[int] = set()

    def require_bounded(self) -> None:
        """Raises: NotASchema for what never ends, or takes too long."""
        if any(self._count(one) > MOST_LOOKS for one in _objects(self._root)):
            raise NotASchema("This schema takes too long: it refers too often.")

    def _count(self, node: Any) -> int:
        if not isinstance(node, dict):
            return 1
        if id(node) in self._counts:
            return self._counts[id(node)]
        if id(node) in self._open:
            raise NotASchema("This schema refers to itself and never ends.")
        self._open.add(id(node))
        total = 1 + sum(map(self._count, self._beside(node)))
        self._open.discard(id(node))
        self._counts[id(node)] = total = min(total, MOST_LOOKS + 1)
        return total

    def _beside(self, node: dict[str, Any]) -> Iterator[Any]:
        yield from (node[name] for name in _ONE if name in node)
        for name in _MANY:
            if isinstance(node.get(name), list):
                yield from node[name]
        dependent = node.get("dependentSchemas")
        if isinstance(dependent, dict):
            yield from dependent.values()
        for name in LEADING:
            if isinstance(node.get(name), str):
                yield self._at(node[name])

    def _at(self, reference: str) -> Any:
        found = self._root
        try:
            for token in pointers.split(reference[1:]):
                found = pointers.step(found, token)
        except (KeyError, ValueError):
            return None
        return found


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for one in value.values():
            yield from _objects(one)
    elif isinstance(value, list):
        for one in value:
            yield from _objects(one)
