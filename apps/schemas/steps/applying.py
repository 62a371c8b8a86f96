"""Do the steps of a migration to a state that nobody else holds.

What is not there is nothing to do; what is there and cannot be done fails, and says at
which step and at which place. Values are never told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

from apps.core import json
from apps.core.errors import DomainError
from apps.core.json import Json
from apps.core.json.pointers import shortened
from apps.diffs.changes import MISSING
from apps.diffs.equality import same
from apps.schemas.steps.converting import CannotConvert, converted
from apps.schemas.steps.reading import Op, Step

# Where something stands, or would: an object or a list, and a key in it.
Slot = tuple[Any, Any]


class Failed(Exception):
    """A step cannot be done: which, and where in the state."""

    def __init__(self, message: str, *, step: str, at: Sequence[str]) -> None:
        self.message, self.step = message, step
        self.at = shortened(json.pointer(list(at)))
        super().__init__(message)


def apply(steps: Sequence[Step], state: dict[str, Json]) -> dict[str, Json]:
    """Change this very state by the steps, and return it.

    Raises: Failed.
    """
    root = [state]
    _Run().each_of(steps, (root, 0), ())
    return root[0]


class _Run:
    """One run over one state, which may add so many bytes and no more."""

    def __init__(self) -> None:
        self._room = json.MAX_STATE_BYTES

    def each_of(self, steps: Sequence[Step], slot: Slot, above: Sequence[str]) -> None:
        for step in steps:
            _VERBS[step.op](self, step, slot, above)

    def rename(self, step: Step, slot: Slot, above: Sequence[str]) -> None:
        found = self._found(step, slot, above)
        if found is None or step.to[0] == step.at[-1]:
            return
        holder, key = found
        (to,) = step.to
        if to in holder:
            raise Failed(
                "Something has this key already.",
                step=step.place,
                at=[*above, *step.at[:-1], to],
            )
        # Every key keeps its place.
        renamed = {to if name == key else name: one for name, one in holder.items()}
        holder.clear()
        holder.update(renamed)

    def move(self, step: Step, slot: Slot, above: Sequence[str]) -> None:
        found = self._found(step, slot, above)
        if found is None:
            return
        holder, key = found
        target, name = self._made(step, step.to, slot, above)
        if name in target:
            raise Failed(
                "Something stands there already.",
                step=step.place,
                at=[*above, *step.to],
            )
        target[name] = holder.pop(key)

    def remove(self, step: Step, slot: Slot, above: Sequence[str]) -> None:
        found = self._found(step, slot, above)
        if found is not None:
            holder, key = found
            del holder[key]

    def default(self, step: Step, slot: Slot, above: Sequence[str]) -> None:
        holder, key = self._made(step, step.at, slot, above)
        if key not in holder:
            holder[key] = self._added(step, step.value, above)

    def map(self, step: Step, slot: Slot, above: Sequence[str]) -> None:
        found = self._found(step, slot, above)
        if found is None:
            return
        holder, key = found
        value = holder[key]
        for before, after in step.pairs:
            if _alike(before, value):
                holder[key] = self._added(step, after, above)
                return
        if step.otherwise is MISSING:
            raise Failed(
                "No pair of the map has this value.",
                step=step.place,
                at=[*above, *step.at],
            )
        holder[key] = self._added(step, step.otherwise, above)

    def convert(self, step: Step, slot: Slot, above: Sequence[str]) -> None:
        found = self._found(step, slot, above)
        if found is None or step.type is None:
            return
        holder, key = found
        try:
            holder[key] = converted(holder[key], step.type)
        except CannotConvert as refused:
            raise Failed(str(refused), step=step.place, at=[*above, *step.at]) from None

    def each(self, step: Step, slot: Slot, above: Sequence[str]) -> None:
        found = self._found(step, slot, above)
        if found is None:
            return
        holder, key = found
        items = holder[key]
        at = [*above, *step.at]
        if items is None:
            return
        if type(items) is not list:
            raise Failed("This is no list.", step=step.place, at=at)
        for index in range(len(items)):
            self.each_of(step.steps, (items, index), [*at, str(index)])

    def _found(self, step: Step, slot: Slot, above: Sequence[str]) -> Slot | None:
        """Return where the step is done; None where nothing stands there."""
        holder, key = slot
        for index, segment in enumerate(step.at):
            value = holder[key]
            if value is None:
                return None
            self._require_object(step, value, [*above, *step.at[:index]])
            if segment not in value:
                return None
            holder, key = value, segment
        return holder, key

    def _made(
        self, step: Step, path: Sequence[str], slot: Slot, above: Sequence[str]
    ) -> Slot:
        """Return where a value is to stand, with the objects above it."""
        holder, key = slot
        for index, segment in enumerate(path):
            value = holder[key] if index == 0 else holder.setdefault(key, {})
            self._require_object(step, value, [*above, *path[:index]])
            holder, key = value, segment
        return holder, key

    def _require_object(self, step: Step, value: Any, at: Sequence[str]) -> None:
        if type(value) is dict:
            return
        is_list = type(value) is list
        message = "Into a list leads each." if is_list else "This is no object."
        raise Failed(message, step=step.place, at=at)

    def _added(self, step: Step, value: Json, above: Sequence[str]) -> Json:
        """Return a value of its own: a later step may change it in one place."""
        self._room -= len(json.dumps(value))
        if self._room < 0:
            raise Failed(
                "The state would be too large.",
                step=step.place,
                at=[*above, *step.at],
            )
        return deepcopy(value)


def _alike(one: Json, other: Json) -> bool:
    """Say whether two values are the same; 1 and 1.0 are, 1 and true are not."""
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other and isinstance(one, bool) == isinstance(other, bool)
    return same(one, other)


_Verb = Callable[[_Run, Step, Slot, Sequence[str]], None]
_VERBS: dict[Op, _Verb] = {
    Op.RENAME: _Run.rename,
    Op.MOVE: _Run.move,
    Op.REMOVE: _Run.remove,
    Op.DEFAULT: _Run.default,
    Op.MAP: _Run.map,
    Op.CONVERT: _Run.convert,
    Op.EACH: _Run.each,
}


def require_acceptable(state: dict[str, Json]) -> None:
    """Hold a migrated state to what any state is held to.

    Raises: DomainError, as of a state that was sent.
    """
    try:
        json.state_bytes(state, at="/state")
    except DomainError as refused:
        raise type(refused)(
            f"The migrated state: {refused.message}", param=refused.param
        ) from None
