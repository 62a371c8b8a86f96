"""States that two sides went on from: anything, and made of tokens that occur once."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator
from itertools import count
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from tests.diffs import states

EXAMPLES = int(os.environ.get("STEPBACK_MERGES", 0)) or (
    1_000 if os.environ.get("CI") else 100
)
lawful = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=bool(os.environ.get("CI")) and "STEPBACK_MERGES" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)

Triple = tuple[Any, Any, Any]
Token = str


@st.composite
def _edited(draw: st.DrawFn) -> Triple:
    """Edit one state on both sides, in part alike."""
    base = draw(states.objects)
    common = copy.deepcopy(base)
    for _ in range(draw(st.integers(0, 2))):
        states.edit(draw, common)
    sides = []
    for _ in range(2):
        side = copy.deepcopy(common)
        for _ in range(draw(st.integers(0, 4))):
            states.edit(draw, side)
        sides.append(side)
    return base, sides[0], sides[1]


anything = st.one_of(
    _edited(), _edited(), st.tuples(states.objects, states.objects, states.objects)
)


class _Maker:
    """Makes states and edits of them in which no text occurs twice."""

    def __init__(self, draw: st.DrawFn, *, has_lists: bool) -> None:
        self._draw = draw
        self._numbers = count()
        self._has_lists = has_lists

    def token(self) -> Token:
        return f"t{next(self._numbers)}"

    def value(self, depth: int) -> Any:
        kinds = ["token", "object", "list", "keyed"] if depth else ["token"]
        if not self._has_lists:
            kinds = kinds[:2]
        kind = self._draw(st.sampled_from(kinds))
        if kind == "token":
            return self.token()
        size = self._draw(st.integers(0, 4))
        if kind == "object":
            return {self.token(): self.value(depth - 1) for _ in range(size)}
        if kind == "list":
            return [self.token() for _ in range(size)]
        return [self.keyed(depth - 1) for _ in range(size)]

    def keyed(self, depth: int) -> Any:
        return {"id": self.token(), "v": self.value(depth)}

    def edit(self, state: Any) -> None:
        """Change one thing somewhere."""
        place = self._draw(st.sampled_from(list(_containers(state))))
        if isinstance(place, dict):
            self._edit_object(place)
        else:
            self._edit_list(place)

    def _edit_object(self, place: dict[str, Any]) -> None:
        keys = [key for key in place if key != "id"]
        action = self._draw(st.sampled_from(["set", "set", "add", "remove"]))
        if action == "add" or not keys:
            place[self.token()] = self.value(1)
            return
        key = self._draw(st.sampled_from(keys))
        if action == "set":
            place[key] = self.value(1)
        else:
            del place[key]

    def _edit_list(self, place: list[Any]) -> None:
        actions = ["insert", "append", "remove", "set", "move", "slide"]
        action = self._draw(st.sampled_from(actions))
        at = self._draw(st.integers(0, max(len(place) - 1, 0)))
        is_keyed = bool(place) and isinstance(place[0], dict)
        fresh = self.keyed(1) if is_keyed else self.token()
        if action in ("append", "slide") or not place:
            place.append(fresh)
            if action == "slide":
                del place[0]
        elif action == "insert":
            place.insert(at, fresh)
        elif action == "remove":
            del place[at]
        elif action == "set":
            place[at] = fresh
        else:
            to = self._draw(st.integers(0, len(place) - 1))
            place.insert(to, place.pop(at))


def _containers(state: Any) -> Iterator[Any]:
    yield state
    for inner in state.values() if isinstance(state, dict) else state:
        if isinstance(inner, dict | list):
            yield from _containers(inner)


@st.composite
def of_tokens(draw: st.DrawFn, *, has_lists: bool = True) -> Triple:
    """Draw a state and two sides of it; a token is the name of one thing for ever."""
    maker = _Maker(draw, has_lists=has_lists)
    base = {maker.token(): maker.value(3) for _ in range(draw(st.integers(1, 3)))}
    common = copy.deepcopy(base)
    for _ in range(draw(st.integers(0, 1))):
        maker.edit(common)
    sides = []
    for _ in range(2):
        side = copy.deepcopy(common)
        for _ in range(draw(st.integers(0, 4))):
            maker.edit(side)
        sides.append(side)
    return base, sides[0], sides[1]


def tokens(value: Any) -> list[Token]:
    """Return every token of a value, in no order that would matter."""
    if isinstance(value, dict):
        keys = [key for key in value if key not in ("id", "v")]
        return keys + [one for inner in value.values() for one in tokens(inner)]
    if isinstance(value, list):
        return [one for inner in value for one in tokens(inner)]
    return [value] if isinstance(value, str) else []
