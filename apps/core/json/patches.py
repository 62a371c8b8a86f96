"""JSON Patch (RFC 6902): operations that callers send, made on a state one by one.

All of them or none. What they say is read once, before there is a state; whether they
fit is found out on the state of the moment. A value that is passed in stays as it was,
and what the operations do not touch is shared with the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from apps.core.errors import PatchFailed, UnacceptableJson
from apps.core.json.limits import MAX_DEPTH, MAX_STATE_BYTES, too_large
from apps.core.json.pointers import shortened
from apps.core.json.values import Json, State
from apps.diffs import equality, pointers

# As for removals: each may move all that stands behind it in a list.
MOST_OPERATIONS = 1_000
# In a list: behind its last item.
END = "-"


class Verb(StrEnum):
    """What an operation does; the words of RFC 6902."""

    ADD = "add"
    REMOVE = "remove"
    REPLACE = "replace"
    MOVE = "move"
    COPY = "copy"
    TEST = "test"


# What an operation has beside `op` and `path`.
_TAKES = {
    Verb.ADD: ("value",),
    Verb.REPLACE: ("value",),
    Verb.TEST: ("value",),
    Verb.MOVE: ("from",),
    Verb.COPY: ("from",),
    Verb.REMOVE: (),
}


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation; `place` is its own number in the list, counted from 0."""

    place: int
    verb: Verb
    path: tuple[str, ...]
    source: tuple[str, ...] = ()
    value: Json = None

    def failed(self, path: Sequence[str], why: str) -> PatchFailed:
        pointer = shortened(pointers.join(path))
        return PatchFailed(
            f"Operation {self.place} ({self.verb}) does not fit the state: {why}",
            param=f"/operations/{self.place}",
            operation=self.place,
            pointer=pointer,
        )


def operations_of(given: Sequence[Json], *, at: str) -> list[Operation]:
    """Return the operations that a list at pointer `at` of a request spells.

    A member that the operation does not have is refused, where RFC 6902 has it
    ignored: it was meant to do something.

    Raises: UnacceptableJson naming the place.
    """
    if len(given) > MOST_OPERATIONS:
        message = f"This takes at most {MOST_OPERATIONS:,} operations."
        raise UnacceptableJson(message, param=at)
    return [_operation(n, one, f"{at}/{n}") for n, one in enumerate(given)]


def patched(state: State, operations: Sequence[Operation]) -> State:
    """Return the state once the operations are made, one after another.

    Raises: PatchFailed for the first that does not fit; PayloadTooLarge for copies of
    more than a state may have; UnacceptableJson where they leave something else.
    """
    work = _Work(state)
    for operation in operations:
        work.make(operation)
    result = work.top[0]
    if not isinstance(result, dict):
        message = "They leave a value that is no state: a JSON object."
        raise UnacceptableJson(message, param="/operations")
    return result


def _operation(place: int, given: Json, at: str) -> Operation:
    if type(given) is not dict:
        raise UnacceptableJson("An operation is a JSON object.", param=at)
    verb = _verb(given.get("op"), f"{at}/op")
    _require_members(verb, given, at)
    path = _way(given["path"], f"{at}/path")
    source = _way(given["from"], f"{at}/from") if "from" in given else ()
    if verb is Verb.MOVE and source != path and path[: len(source)] == source:
        message = "A value cannot be moved into itself."
        raise UnacceptableJson(message, param=f"{at}/path")
    if verb is Verb.REMOVE and not path:
        message = "The whole state cannot be removed."
        raise UnacceptableJson(message, param=f"{at}/path")
    return Operation(place, verb, path, source, given.get("value"))


def _verb(given: Json, at: str) -> Verb:
    try:
        return Verb(given)
    except ValueError:
        message = f"This must be one of {', '.join(Verb)}."
        raise UnacceptableJson(message, param=at) from None


def _require_members(verb: Verb, given: dict[str, Json], at: str) -> None:
    members = ("op", "path", *_TAKES[verb])
    for name in members:
        if name not in given:
            raise UnacceptableJson(f"{verb} needs `{name}`.", param=f"{at}/{name}")
    for name in given:
        if name not in members:
            place = shortened(at + pointers.join([name]))
            raise UnacceptableJson(f"{verb} does not take this.", param=place)


def _way(given: Json, at: str) -> tuple[str, ...]:
    if type(given) is not str:
        raise UnacceptableJson("This is not a JSON pointer.", param=at)
    try:
        way = tuple(pointers.split(given))
    except ValueError as fault:
        raise UnacceptableJson(str(fault), param=at) from None
    # One more than a state is deep. A way is walked for each operation.
    if len(way) > MAX_DEPTH + 1:
        raise UnacceptableJson("No state is as deep as this.", param=at)
    return way


class _Work:
    """A state in the making; a container is copied once, before it is changed."""

    def __init__(self, state: State) -> None:
        self.top: list[Any] = [state]
        # By id, and kept alive by it: 1,000 operations copy a list once.
        self.own: dict[int, Any] = {id(self.top): self.top}
        self.copied = 0

    def make(self, operation: Operation) -> None:
        """Raises: PatchFailed, PayloadTooLarge."""
        _MAKING[operation.verb](self, operation)

    def add(self, operation: Operation) -> None:
        self._put(operation, operation.value)

    def remove(self, operation: Operation) -> None:
        self._take(operation, operation.path)

    def replace(self, operation: Operation) -> None:
        container, key = self._opened(operation, operation.path)
        container[key] = operation.value

    def move(self, operation: Operation) -> None:
        if operation.source == operation.path:
            self._found(operation, operation.path)  # it has to be there
        else:
            self._put(operation, self._take(operation, operation.source))

    def copy(self, operation: Operation) -> None:
        self._put(operation, self._shared(operation))

    def test(self, operation: Operation) -> None:
        if not _equal(self._found(operation, operation.path), operation.value):
            raise operation.failed(operation.path, "another value is there.")

    def _found(self, operation: Operation, path: Sequence[str]) -> Json:
        value = self.top[0]
        for token in path:
            value = value[_key(operation, path, value, token)]
        return value

    def _container(self, operation: Operation, path: Sequence[str]) -> Any:
        """Return what is around the place at `path`, our own to be changed."""
        parent: Any = self.top
        at: str | int = 0
        for token in path[:-1]:
            child = self._owned(parent, at)
            parent, at = child, _key(operation, path, child, token)
        return self._owned(parent, at)

    def _owned(self, parent: Any, at: str | int) -> Any:
        child = parent[at]
        if id(child) not in self.own and isinstance(child, (dict, list)):
            child = child.copy()
            self.own[id(child)] = parent[at] = child
        return child

    def _opened(
        self, operation: Operation, path: Sequence[str]
    ) -> tuple[Any, str | int]:
        """Return a container of ours and the key in it under which something is."""
        if not path:
            return self.top, 0
        container = self._container(operation, path)
        return container, _key(operation, path, container, path[-1])

    def _take(self, operation: Operation, path: Sequence[str]) -> Json:
        container, key = self._opened(operation, path)
        return container.pop(key)

    def _put(self, operation: Operation, value: Json) -> None:
        if not operation.path:
            self.top[0] = value
            return
        container = self._container(operation, operation.path)
        last = operation.path[-1]
        if isinstance(container, dict):
            container[last] = value
            return
        if not isinstance(container, list):
            raise operation.failed(operation.path, "nothing can be put in there.")
        where = len(container) if last == END else _index(last)
        if not 0 <= where <= len(container):
            raise operation.failed(operation.path, "there is no such place.")
        container.insert(where, value)

    def _shared(self, operation: Operation) -> Json:
        """Return what is to be copied; from now on it stands in two places."""
        value = self._found(operation, operation.source)
        # Copies of copies double: 40 operations would be more than any memory.
        self.copied += len(equality.spelling(value))
        if self.copied > MAX_STATE_BYTES:
            raise too_large(self.copied, MAX_STATE_BYTES)
        nested = [value]
        while nested:
            container = nested.pop()
            if isinstance(container, (dict, list)):
                self.own.pop(id(container), None)
                nested.extend(
                    container.values() if isinstance(container, dict) else container
                )
        return value


_MAKING = {
    Verb.ADD: _Work.add,
    Verb.REMOVE: _Work.remove,
    Verb.REPLACE: _Work.replace,
    Verb.MOVE: _Work.move,
    Verb.COPY: _Work.copy,
    Verb.TEST: _Work.test,
}


def _key(
    operation: Operation, path: Sequence[str], container: Any, token: str
) -> str | int:
    try:
        return pointers.key(container, token)
    except KeyError:
        raise operation.failed(path, "there is nothing at this place.") from None


def _index(token: str) -> int:
    """Return the index that a token spells, -1 if it spells none."""
    try:
        return pointers.index(token)
    except KeyError:
        return -1


def _equal(one: Json, other: Json) -> bool:
    """Decide as RFC 6902 has it: numbers by what they are worth, 1 equals 1.0."""
    if type(one) is bool or type(other) is bool:
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            _equal(value, other[key]) for key, value in one.items()
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return bool(one == other)
